#include "cli/bench/bench_batches.h"

#include <algorithm>
#include <numeric>

#include "data/corpora/batch_sampler.h"
#include "data/corpora/parallel_corpus.h"
#include "data/files/atomic_file.h"
#include "data/files/json_text.h"
#include "data/tokenizers/sentencepiece_tokenizer.h"
#include "models/gpt_config.h"
#include "models/transformer_config.h"
#include "tensor/random.h"

namespace kette::cli {
namespace {

/// Random sentences of about the lengths of Multi30k: 6 to 24 tokens, the target within a fifth of
/// the source.
ParallelCorpus random_corpus(const BenchBatchOptions& o, std::int64_t pairs) {
  const BenchIds bench_ids(o.ids, SpecialTokens{}.end + 1, o.rows);
  Random random(o.seed, 1);
  TokenLists source, target;
  const auto add = [&](TokenLists& side, double length) {
    std::vector<std::int32_t> ids(static_cast<std::size_t>(std::max(1.0, length)));
    for (auto& id : ids) id = bench_ids.draw(random);
    side.add(ids);
  };
  for (std::int64_t i = 0; i < pairs; ++i) {
    const double length = random.uniform(6, 25);
    add(source, length);
    add(target, length * random.uniform(0.8, 1.2));
  }
  return ParallelCorpus::of(std::make_shared<PairLists>(std::move(source), std::move(target)));
}

SharedTokenizer bench_tokenizer(const BenchBatchOptions& o) {
  if (!o.tokenizer.empty()) return load_tokenizer(o.tokenizer);
  SentencePieceOptions settings;
  settings.vocabulary = std::min(o.pieces, o.rows);
  return SentencePieceTokenizer::train_files({o.source, o.target}, settings);
}

ParallelCorpus pairs_of_bench(const BenchBatchOptions& o, std::int64_t count) {
  if (o.source.empty()) return random_corpus(o, 1 + count * o.tokens / 10);
  const SharedTokenizer tokenizer = bench_tokenizer(o);
  KETTE_CHECK(tokenizer->vocabulary() <= o.rows, "bench: expected a tokenizer of at most ", o.rows,
              " pieces, given ", tokenizer->vocabulary());
  return ParallelCorpus::load(o.source, o.target, tokenizer);
}

/// The sentences of one side, each without the mark at its end (source, target_out).
Json sentences(const std::vector<std::int32_t>& ids, const Segments& segments) {
  Json lists = Json::array();
  for (std::int64_t i = 0; i < segments.count(); ++i) {
    lists.push_back(std::vector<std::int32_t>(ids.begin() + segments.begin(i),
                                              ids.begin() + segments.end(i) - 1));
  }
  return lists;
}

TokenLists token_lists(const Json& lists, std::int64_t rows) {
  TokenLists result;
  for (const auto& ids : lists.get<std::vector<std::vector<std::int32_t>>>()) {
    for (const std::int32_t id : ids) {
      KETTE_CHECK(id >= 0 && id < rows, "expected token ids from 0 to ", rows - 1, ", given ", id);
    }
    result.add(ids);
  }
  return result;
}

Batch parse_batch(std::string_view line, std::int64_t rows) {
  const Json json = Json::parse(line);
  const PairLists pairs(token_lists(json.at("source"), rows), token_lists(json.at("target"), rows));
  std::vector<std::int64_t> all(pairs.size());
  std::iota(all.begin(), all.end(), 0);
  return make_batch(pairs, all, SpecialTokens{});
}

}  // namespace

std::vector<Batch> make_bench_batches(const BenchBatchOptions& o, std::int64_t count) {
  return batches_of(pairs_of_bench(o, count), o, count);
}

std::vector<Batch> batches_for(ModelConfig& config, const BenchBatchOptions& o,
                               std::int64_t count) {
  if (const auto* gpt = dynamic_cast<const GptConfig*>(&config)) {
    const std::int64_t windows = std::max<std::int64_t>(1, o.tokens / gpt->context);
    return random_windows(BenchIds(o.ids, 0, gpt->vocabulary), gpt->context, windows, count,
                          o.seed);
  }
  auto* transformer = dynamic_cast<TransformerConfig*>(&config);
  if (transformer == nullptr) {
    return std::vector<Batch>(static_cast<std::size_t>(count), config.example_batch(o.seed));
  }
  BenchBatchOptions source = o;
  source.rows = config.vocabulary;
  std::vector<Batch> batches = o.read.empty() ? make_bench_batches(source, count)
                                              : read_batches(o.read, config.vocabulary, count);
  for (const Batch& batch : batches) {
    transformer->max_length = std::max({transformer->max_length, batch.source_segments.longest(),
                                        batch.target_segments.longest()});
  }
  return batches;
}

BenchRecipe recipe_for(const ModelConfig& config) {
  BenchRecipe recipe;
  recipe.step.lr = 3e-4;
  if (dynamic_cast<const GptConfig*>(&config) == nullptr) return recipe;
  recipe.optimizer.weight_decay = 0.1;
  recipe.step.label_smoothing = 0;
  recipe.step.clip_norm = 1;
  return recipe;
}

std::vector<Batch> batches_of(const ParallelCorpus& corpus, const BenchBatchOptions& o,
                              std::int64_t count) {
  BatchOptions options;
  options.tokens_per_batch = o.tokens;
  options.seed = o.seed;
  BatchSampler sampler(corpus, options);
  std::vector<Batch> batches;
  for (std::int64_t i = 0; i < count; ++i) batches.push_back(sampler.next());
  return batches;
}

std::vector<Batch> random_windows(const BenchIds& bench_ids, std::int64_t context,
                                  std::int64_t windows, std::int64_t count, std::uint64_t seed) {
  Random random(seed, 2);
  std::vector<Batch> batches(count);
  for (Batch& batch : batches) {
    for (auto* ids : {&batch.target_in, &batch.target_out}) {
      ids->resize(windows * context);
      for (auto& id : *ids) id = bench_ids.draw(random);
    }
    const std::vector<std::int64_t> lengths(static_cast<std::size_t>(windows), context);
    batch.target_segments = Segments::from_lengths(lengths);
    batch.sentence_ids.resize(lengths.size());
  }
  return batches;
}

void write_batches(const std::filesystem::path& file, const std::vector<Batch>& batches) {
  std::string text;
  for (const Batch& batch : batches) {
    text += Json{{"source", sentences(batch.source, batch.source_segments)},
                 {"target", sentences(batch.target_out, batch.target_segments)}}
                .dump() +
            "\n";
  }
  write_file_atomically(file, text);
}

std::vector<Batch> read_batches(const std::filesystem::path& file, std::int64_t rows,
                                std::int64_t count) {
  const TextLines lines = read_lines(file);
  std::vector<Batch> batches;
  for (std::int64_t i = 0; i < std::min(lines.size(), count); ++i) {
    try {
      batches.push_back(parse_batch(lines[i], rows));
    } catch (const std::exception& error) {
      fail(
          file.string(), ":", i + 1,
          ": expected a batch {\"source\": [[ids]...], \"target\": [[ids]...]}, given something else (",
          error.what(), ")");
    }
  }
  for (std::size_t i = 0; static_cast<std::int64_t>(batches.size()) < count; ++i)
    batches.push_back(batches[i]);
  return batches;
}

}  // namespace kette::cli
