// The files of parameters in the folder of a run: the model, the checkpoints of its last validations, their mean where it
// is worse than the model, and the best of them while a mean is the model.
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
  /// parameter_file: the model's name. options: outlive this.
  RunModels(const TrainOptions& options, const std::string& parameter_file);

  const std::filesystem::path& model() const { return model_; }
  std::filesystem::path checkpoint(std::int64_t step) const;
  std::filesystem::path mean() const { return folder_ / "average.safetensors"; }

  /// What its files say of themselves, once its folder has the model's description. run: "" of an older one.
  void identify(const std::string& run);
  void save_model(const ParamStore& parameters, const Metadata& metadata) const;
  void save_checkpoint(std::int64_t step, const ParamStore& parameters,
                       const Metadata& metadata) const;
  void save_mean(const ParamStore& parameters, const Metadata& metadata) const;
  /// A run that was killed while it validated has left one of a step that it has not reached for those who ask now.
  void remove_later_than(std::int64_t step) const;
  /// The model becomes the one that was just validated, if it costs less; where the model is a mean, the best there is.
  void keep_best(const ParamStore& parameters, const Metadata& metadata, bool is_best,
                 double cost) const;
  /// What a validation of this step said, if its checkpoint is still there.
  std::optional<ValidationResult> result_of_checkpoint(std::int64_t step) const;
  /// Leaves as many as are kept.
  void prune() const;

  /// Those that a mean is made of.
  std::vector<std::filesystem::path> last() const;
  /// What was said of a mean of these, if the model is one, or there is one beside it.
  std::optional<ValidationResult> result_of_mean(
      const std::vector<std::filesystem::path>& files) const;
  /// Of parameters that were read from mean(). A run that goes on finds the best model aside.
  void make_mean_the_model(const ParamStore& parameters, const Metadata& metadata) const;

 private:
  /// Takes the mean's place as the model again.
  void restore_best() const;

  const TrainOptions& options_;
  std::filesystem::path model_, folder_;  // of the checkpoints
  Metadata origin_;

  void save(const std::filesystem::path& file, const ParamStore& parameters,
            Metadata metadata) const;

  std::filesystem::path best() const { return folder_ / "best.safetensors"; }
};

}  // namespace kette
