// Where training starts, and what of the model it changes: all of it, from random values or from
// those of a model directory (fine-tuning); or adapters (models/lora.h) alone, on the frozen values
// of one. What a task tells of that to the trainer, and keeps of it.
#pragma once

#include <optional>
#include <string>

#include "models/lora.h"
#include "train/trainer.h"

namespace kette {

class StartingPoint {
 public:
  /// Gives the model its values, and its adapters if the options ask for them. The model must
  /// outlive this.
  StartingPoint(Model& model, const TrainOptions& options);
  StartingPoint(const StartingPoint&) = delete;
  StartingPoint& operator=(const StartingPoint&) = delete;

  const Model& model() const { return model_; }
  /// Those that training changes: the model's, or the adapters'.
  ParamStore& parameters() { return adapters_ ? adapters_->parameters() : model_.parameters(); }
  std::string parameter_file() const;
  /// Of the adapters, beside that of the model; without them nothing.
  void save_description(const TrainOptions& options) const;
  /// "all of 6,534 parameters, from ..." for people.
  std::string report(const TrainOptions& options) const;

 private:
  Model& model_;
  std::string checksum_;  // of the parameters that were loaded
  std::optional<LoraAdapters> adapters_;
};

}  // namespace kette
