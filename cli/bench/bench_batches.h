// The batches that `kette bench train` trains on: of two text files, of a file of batches, or of
// random sentences. Batches can be written as JSON lines, {"source": [[ids]...], "target":
// [[ids]...]} without begin and end marks, so that another program (bench/peers) is given the very
// same ones.
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
  std::int64_t pieces = 10000;  ///< of the tokenizer that is trained when none is given
  std::int64_t rows = 10000;    ///< of the model's vocabulary
  std::int64_t tokens = 4096;
  std::string ids = "zipf";  ///< of random sentences
  std::uint64_t seed = 1;
  std::filesystem::path read{};  ///< a file of batches instead
};

/// As many as asked for; with fewer in an epoch the next one goes on.
std::vector<Batch> make_bench_batches(const BenchBatchOptions& options, std::int64_t count);
/// Likewise, of a corpus.
std::vector<Batch> batches_of(const ParallelCorpus& corpus, const BenchBatchOptions& options,
                              std::int64_t count);
/// Those for a model: of pairs as long as they are, for which a Transformer has positions then, of windows of
/// random text as long as the model sees; of another kind of model its example, over again.
std::vector<Batch> batches_for(ModelConfig& config, const BenchBatchOptions& options,
                               std::int64_t count);

/// How the presets are trained: of a GPT the step of nanoGPT's recipe.
struct BenchRecipe {
  OptimizerOptions optimizer;
  StepOptions step;
};
BenchRecipe recipe_for(const ModelConfig& config);

/// Windows of random tokens for a language model.
std::vector<Batch> random_windows(const BenchIds& ids, std::int64_t context, std::int64_t windows,
                                  std::int64_t count, std::uint64_t seed);

void write_batches(const std::filesystem::path& file, const std::vector<Batch>& batches);
/// All batches of a file, or the first `count`, over again if there are fewer.
std::vector<Batch> read_batches(const std::filesystem::path& file, std::int64_t rows,
                                std::int64_t count);

}  // namespace kette::cli
