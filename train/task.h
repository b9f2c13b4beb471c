// A task defines what is learnt: the batches, the loss, the validation, and the files of the model. The
// trainer (train/trainer.h) does the rest, the same for every task.
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

  /// The model, with its values on its device.
  virtual const Model& model() const = 0;
  /// The parameters that training changes: the model's, or those of adapters on it.
  virtual ParamStore& parameters() = 0;
  virtual const RunFolder& folder() const = 0;
  virtual Sampler& sampler() = 0;
  /// The validation text.
  virtual const std::vector<Batch>& validation_batches() const = 0;
  /// Mean negative log likelihood per target token of the validation text, without dropout. This and the score throw
  /// Interrupted as interrupt_check() does (train/interrupt.h).
  virtual double validation_loss() = 0;
  virtual std::optional<Score> validation_score() { return {}; }
  /// The number of language tags that begin each source.
  virtual std::int64_t source_tags() const { return 0; }

  /// A line or two about the data, for people.
  virtual std::string report() const = 0;
  /// Saves everything of the model directory except the parameters.
  virtual void save_description() const = 0;
  /// Of that, where the model is that adapters sit on: it may have moved since a run started.
  virtual void save_base() const {}
  /// The name of the parameters' file in the model directory.
  virtual std::string parameter_file() const { return kModelFile; }
};

}  // namespace kette
