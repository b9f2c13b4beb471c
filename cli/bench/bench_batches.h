// The batches of `kette bench train`: from two text files, from a file of batches, or of random sentences.
// They can be written as JSON lines, {"source": [[ids]...], "target": [[ids]...]} without <s> and </s>, so
// that another program (bench/peers) can use the same batches.
#pragma once

#include <filesystem>
#include <vector>

#include "cli/bench/bench_ids.h"
#include "data/corpora/batches.h"
#include "data/corpora/parallel_corpus.h"
#include "models/model_config.h"
#include "train/train_step.h"

namespace kette::cli {

struct BenchBatchOptions {
  std::filesystem::path source, target, tokenizer;
  std::int64_t pieces = 10000;  ///< of a new tokenizer, if none is given
  std::int64_t rows = 10000;    ///< of the model's vocabulary
  std::int64_t tokens = 4096;
  std::string ids = "zipf";  ///< of random sentences
  std::uint64_t seed = 1;
  std::filesystem::path read{};  ///< a file of batches instead
};

/// Makes `count` batches, over several epochs if necessary.
std::vector<Batch> make_bench_batches(const BenchBatchOptions& options, std::int64_t count);
/// The same from a corpus.
std::vector<Batch> batches_of(const ParallelCorpus& corpus, const BenchBatchOptions& options,
                              std::int64_t count);
/// Batches for a model. A Transformer gets pairs, and enough positions for them. A language model gets windows of
/// random text as long as its context. Other models get their example, repeated.
std::vector<Batch> batches_for(ModelConfig& config, const BenchBatchOptions& options,
                               std::int64_t count);

/// The recipe of the presets; for a GPT the step of nanoGPT's.
struct BenchRecipe {
  OptimizerOptions optimizer;
  StepOptions step;
};
BenchRecipe recipe_for(const ModelConfig& config);

/// Windows of random tokens for a language model.
std::vector<Batch> random_windows(const BenchIds& ids, std::int64_t context, std::int64_t windows,
                                  std::int64_t count, std::uint64_t seed);

void write_batches(const std::filesystem::path& file, const std::vector<Batch>& batches);
/// All batches of a file, or the first `count`, repeated if there are fewer.
std::vector<Batch> read_batches(const std::filesystem::path& file, std::int64_t rows,
                                std::int64_t count);

}  // namespace kette::cli
