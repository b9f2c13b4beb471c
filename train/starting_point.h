// Where training starts and which parameters it changes. Training from scratch and fine-tuning change all
// parameters. LoRA (models/lora.h) changes only adapters on the frozen parameters of a model directory.
#pragma once

#include <optional>
#include <string>

#include "models/lora.h"
#include "train/trainer.h"

namespace kette {

class StartingPoint {
 public:
  /// Sets the model's values, and adds adapters if the options ask for them. The model must outlive
  /// this.
  StartingPoint(Model& model, const TrainOptions& options);
  StartingPoint(const StartingPoint&) = delete;
  StartingPoint& operator=(const StartingPoint&) = delete;

  const Model& model() const { return model_; }
  /// The parameters that training changes: the model's, or the adapters'.
  ParamStore& parameters() { return adapters_ ? adapters_->parameters() : model_.parameters(); }
  std::string parameter_file() const;
  /// Saves the description of the adapters; does nothing without adapters.
  void save_description(const TrainOptions& options) const;
  /// "all of 6,534 parameters, from ..." for people.
  std::string report(const TrainOptions& options) const;

 private:
  Model& model_;
  std::string checksum_;  // of the parameters that were loaded
  std::optional<LoraAdapters> adapters_;
};

}  // namespace kette
