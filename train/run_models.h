// The parameter files in the folder of a run: the model, the checkpoints of the last validations, their mean (if it is
// worse than the model), and the best model (while the model is a mean).
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "nn/param_store.h"
#include "train/train_options.h"

namespace kette {

class RunModels {
 public:
  /// parameter_file: the name of the model's file. The options must outlive this.
  RunModels(const TrainOptions& options, const std::string& parameter_file);

  const std::filesystem::path& model() const { return model_; }
  std::filesystem::path checkpoint(std::int64_t step) const;
  std::filesystem::path mean() const { return folder_ / "average.safetensors"; }

  /// Sets the metadata of all files. The folder must have the tokenizer. run: RunFingerprint::id(); "": not known.
  void identify(const std::string& run);
  void save_model(const ParamStore& parameters, const Metadata& metadata) const;
  void save_checkpoint(std::int64_t step, const ParamStore& parameters,
                       const Metadata& metadata) const;
  void save_mean(const ParamStore& parameters, const Metadata& metadata) const;
  /// Removes checkpoints of later steps, which a run killed during validation leaves.
  void remove_later_than(std::int64_t step) const;
  /// Saves the validated parameters as the model if they cost less. A model that is a mean is replaced by the best one.
  void keep_best(const ParamStore& parameters, const Metadata& metadata, bool is_best,
                 double cost) const;
  /// The result of the validation at this step, if its checkpoint still exists.
  std::optional<ValidationResult> result_of_checkpoint(std::int64_t step) const;
  /// Removes the oldest checkpoints, down to TrainOptions::kept_checkpoints().
  void prune() const;

  /// The checkpoints to average.
  std::vector<std::filesystem::path> last() const;
  /// The result of the validation of the mean of these, if model() or mean() is that mean.
  std::optional<ValidationResult> result_of_mean(
      const std::vector<std::filesystem::path>& files) const;
  /// Saves the parameters of mean() as the model. The best model is kept aside, for when the run continues.
  void make_mean_the_model(const ParamStore& parameters, const Metadata& metadata) const;

 private:
  /// Makes the best model the model again.
  void restore_best() const;

  const TrainOptions& options_;
  std::filesystem::path model_, folder_;  // of the checkpoints
  Metadata origin_;

  void save(const std::filesystem::path& file, const ParamStore& parameters,
            Metadata metadata) const;

  std::filesystem::path best() const { return folder_ / "best.safetensors"; }
};

}  // namespace kette
