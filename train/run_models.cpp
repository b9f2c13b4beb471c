#include "train/run_models.h"

#include <system_error>

#include "data/files/safetensors.h"
#include "models/average.h"
#include "models/model_directory.h"
#include "tensor/suggestion.h"
#include "train/validation_result.h"

namespace kette {

namespace fs = std::filesystem;

RunModels::RunModels(const TrainOptions& options, const std::string& parameter_file)
    : options_(options),
      model_(options.out / parameter_file),
      folder_(options.out / kCheckpointFolder) {}

fs::path RunModels::checkpoint(std::int64_t step) const {
  return folder_ / ("step-" + std::to_string(step) + ".safetensors");
}

void RunModels::identify(const std::string& run) {
  origin_[kTokenizerKey] = read_tokenizer_description(options_.out).fingerprint;
  if (!run.empty()) origin_[kRunKey] = run;
}

void RunModels::save(const fs::path& file, const ParamStore& parameters, Metadata metadata) const {
  for (const auto& [key, value] : origin_) metadata[key] = value;
  save_parameters(file, parameters, metadata);
}

void RunModels::save_model(const ParamStore& parameters, const Metadata& metadata) const {
  save(model_, parameters, metadata);
}

void RunModels::save_checkpoint(std::int64_t step, const ParamStore& parameters,
                                const Metadata& metadata) const {
  save(checkpoint(step), parameters, metadata);
}

void RunModels::save_mean(const ParamStore& parameters, const Metadata& metadata) const {
  save(mean(), parameters, metadata);
}

void RunModels::remove_later_than(std::int64_t step) const {
  for (const fs::path& file : list_checkpoints(options_.out)) {
    if (step_of_checkpoint(file) > step) fs::remove(file);
  }
}

void RunModels::keep_best(const ParamStore& parameters, const Metadata& metadata, bool is_best,
                          double cost) const {
  if (!is_best && is_average(model_)) restore_best();
  // After kette average the best model may be one that is no longer kept: the best of the others stays.
  if (is_best || cost < cost_in(model_, options_.best_by)) save_model(parameters, metadata);
}

std::optional<ValidationResult> RunModels::result_of_checkpoint(std::int64_t step) const {
  const fs::path file = checkpoint(step);
  return fs::exists(file) ? validation_result_in(file) : std::nullopt;
}

void RunModels::prune() const {
  const std::vector<fs::path> files = list_checkpoints(options_.out);
  for (std::size_t i = 0; i + static_cast<std::size_t>(options_.kept_checkpoints()) < files.size();
       ++i) {
    std::error_code ignored;
    fs::remove(files[i], ignored);
  }
}

std::vector<fs::path> RunModels::last() const {
  std::vector<fs::path> files = list_checkpoints(options_.out);
  if (files.size() > static_cast<std::size_t>(options_.average)) {
    files.erase(files.begin(), files.end() - options_.average);
  }
  return files;
}

std::optional<ValidationResult> RunModels::result_of_mean(
    const std::vector<fs::path>& files) const {
  const std::string steps = joined(
      files, [](const fs::path& file) { return std::to_string(step_of_checkpoint(file)); }, ",");
  for (const fs::path& file : {model_, mean()}) {
    if (!is_average(file)) continue;
    const Metadata metadata = SafetensorsFile::open(file).metadata();
    if (metadata.at("averaged_steps") == steps) return validation_result_in(file);
  }
  return std::nullopt;
}

void RunModels::make_mean_the_model(const ParamStore& parameters, const Metadata& metadata) const {
  if (!is_average(model_)) copy_best({model_}, options_.best_by, best());
  save_model(parameters, metadata);
  fs::remove(mean());
}

void RunModels::restore_best() const {
  if (fs::exists(best())) {
    copy_best({best()}, options_.best_by, model_);
    fs::remove(best());
  } else {  // kette average made it
    copy_best(list_checkpoints(options_.out), options_.best_by, model_);
  }
}

}  // namespace kette
