// What is learnt: where batches come from, what the model loses on them, how the model is judged,
// and what is kept of it. The trainer (train/trainer.h) does the rest, the same for every task.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/model_directory.h"
#include "train/run_folder.h"
#include "train/train_step.h"
#include "train/training_state.h"
#include "train/validation.h"
#include "train/validation_result.h"

namespace kette {

class Task {
 public:
  virtual ~Task() = default;

  /// With values on its device.
  virtual const Model& model() const = 0;
  /// Those that training changes: the model's, or those of adapters on it.
  virtual ParamStore& parameters() = 0;
  virtual const RunFolder& folder() const = 0;
  virtual Sampler& sampler() = 0;
  /// The validation text.
  virtual const std::vector<Batch>& validation_batches() const = 0;
  /// Mean negative log likelihood per target token of the validation text, without dropout.
  virtual double validation_loss() = 0;
  virtual std::optional<Score> validation_score() { return {}; }
  /// How many tokens that are no words lead each source.
  virtual std::int64_t source_tags() const { return 0; }

  /// A line or two about the data, for people.
  virtual std::string report() const = 0;
  /// Everything of the model directory but the parameters.
  virtual void save_description() const = 0;
  /// Where in the model directory the parameters stand.
  virtual std::string parameter_file() const { return kModelFile; }
};

}  // namespace kette
