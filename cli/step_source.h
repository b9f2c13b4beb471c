// The step that `kette trace` and `kette tape` look at: of which model, and on which batches. The same options
// give the same step each time.
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
  std::filesystem::path folder;  ///< of a trained model, in the place of a preset
  ComputeOptions compute;
  BenchBatchOptions batches;
  std::filesystem::path text;  ///< for a language model
  std::string language;        ///< of a translation model with several: of the targets

  bool has_text() const { return !text.empty() || !batches.source.empty(); }

  /// Throws a UsageError if they do not go together. has_prompt: another text is read.
  void check(bool has_prompt = false) const;
  std::unique_ptr<ModelConfig> config() const;
  /// "tiny", or the folder.
  std::string name() const { return folder.empty() ? architecture.preset() : folder.string(); }
  /// For that configuration, which may be given more positions for them.
  std::vector<Batch> make_batches(ModelConfig& config, std::int64_t count) const;
  /// With values, and room for gradients. random: whatever the folder holds.
  std::unique_ptr<Model> make_model(const ModelConfig& config, DType dtype,
                                    bool random = false) const;
};

/// Adds the options of model and batches. tokens: of a batch, for the default.
void add_step_source(CLI::App& command, StepSource& source);

}  // namespace kette::cli
