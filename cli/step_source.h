// Options for the step that `kette trace` and `kette tape` record: the model and the batches. The same options
// always give the same step.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cli/architecture.h"
#include "cli/bench/bench_batches.h"
#include "cli/common.h"
#include "models/model.h"

namespace kette::cli {

struct StepSource {
  ArchitectureOptions architecture;
  std::filesystem::path folder;  ///< of a trained model, instead of a preset
  ComputeOptions compute;
  BenchBatchOptions batches;
  std::filesystem::path text;  ///< for a language model
  std::string language;        ///< the target language of a multilingual model

  bool has_text() const { return !text.empty() || !batches.source.empty(); }

  /// Throws a UsageError if options do not fit together. has_prompt: whether a prompt replaces the batches.
  void check(bool has_prompt = false) const;
  std::unique_ptr<ModelConfig> config() const;
  /// The preset, or the name of the model's folder.
  std::string name() const;
  /// May raise the configuration's number of positions to fit the batches.
  std::vector<Batch> make_batches(ModelConfig& config, std::int64_t count) const;
  /// A model with values and memory for gradients. random: random values even if there is a folder.
  std::unique_ptr<Model> make_model(const ModelConfig& config, DType dtype,
                                    bool random = false) const;
};

/// Adds the options of model and batches.
void add_step_source(CLI::App& command, StepSource& source);

}  // namespace kette::cli
