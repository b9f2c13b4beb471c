// `kette bench corpus`: time and memory to plan an epoch of sentence pairs, and the time to make its batches, without a
// model.
#include <memory>

#include "cli/commands/commands.h"
#include "cli/common.h"
#include "cli/host.h"
#include "cli/show.h"
#include "cli/tokenizer_option.h"
#include "data/corpora/batch_sampler.h"
#include "data/corpora/prepared_pairs.h"
#include "tensor/splitmix.h"
#include "tensor/stopwatch.h"

namespace kette::cli {
namespace {

struct BenchCorpusOptions {
  CommonOptions common;
  std::filesystem::path source, target, pairs;
  std::string tokenizer;
  std::int64_t synthetic = 0, batch_tokens = 25000, batches = 400;
  double bpe_dropout = 0;
};

/// Pairs of 6 to 61 tokens a side of which nothing is there but a formula.
class Synthetic final : public PairStore {
 public:
  explicit Synthetic(std::int64_t size) : size_(size) {}
  std::int64_t size() const override { return size_; }
  PairLengths lengths(std::int64_t pair) const override {
    const std::uint64_t hash = splitmix64(static_cast<std::uint64_t>(pair));
    const auto source = static_cast<std::int64_t>(6 + hash % 50);
    return {source, source + static_cast<std::int64_t>(hash >> 32) % 6};
  }
  PairIds read(std::int64_t pair) const override {
    const auto [source, target] = lengths(pair);
    return {std::vector<std::int32_t>(source, 9), std::vector<std::int32_t>(target, 9)};
  }

 private:
  std::int64_t size_;
};

ParallelCorpus corpus_of(const BenchCorpusOptions& o) {
  if (o.synthetic > 0) return ParallelCorpus::of(std::make_shared<Synthetic>(o.synthetic));
  if (o.pairs.empty()) {
    return ParallelCorpus::load({o.source, o.target}, load_named_tokenizer(o.tokenizer), {});
  }
  return prepared_corpus(o.pairs, load_tokenizer(o.pairs));
}

void run(const BenchCorpusOptions& o) {
  const int threads = use_threads(o.common);
  Stopwatch watch;
  const ParallelCorpus corpus = corpus_of(o);
  const double load_seconds = watch.seconds(), rss_before = peak_rss_mib();
  watch.restart();
  BatchSampler sampler(corpus, {.tokens_per_batch = o.batch_tokens, .bpe_dropout = o.bpe_dropout});
  const double plan_seconds = watch.seconds(), rss_after = peak_rss_mib();
  TokenCounts tokens;
  watch.restart();
  for (std::int64_t i = 0; i < o.batches; ++i) tokens += tokens_of(sampler.next());
  const double seconds = watch.seconds();
  to_stdout() << text("%s pairs, there after %.2f s; an epoch planned in %.2f s; ",
                      with_commas(corpus.size()).c_str(), load_seconds, plan_seconds)
              << text("%.0f batches/s, %s target tokens/s; at most %.0f MiB\n",
                      static_cast<double>(o.batches) / seconds,
                      with_commas(
                          static_cast<std::int64_t>(static_cast<double>(tokens.target) / seconds))
                          .c_str(),
                      peak_rss_mib());
  show(Report::of_facts({{"pairs", corpus.size()},
                         {"threads", threads},
                         {"load_seconds", load_seconds},
                         {"plan_seconds", plan_seconds},
                         {"plan_bytes_per_pair",
                          (rss_after - rss_before) * 1048576 / static_cast<double>(corpus.size())},
                         {"batches_per_second", static_cast<double>(o.batches) / seconds},
                         {"target_tokens_per_second", static_cast<double>(tokens.target) / seconds},
                         {"peak_rss_mib", peak_rss_mib()}}),
       o.common);
}

void check(const BenchCorpusOptions& o) {
  if (o.synthetic > 0 || !o.pairs.empty()) return;
  if (o.source.empty() || o.target.empty() || o.tokenizer.empty()) {
    throw UsageError(
        "bench corpus: expected --pairs, --synthetic, or --src, --tgt and --tokenizer, given less");
  }
}

void add_bench_corpus_options(CLI::App& command) {
  auto options = std::make_shared<BenchCorpusOptions>();
  OptionGroup input(command, "Input");
  const Option source = input.path("--src", options->source, "Source sentences");
  input.path("--tgt", options->target, "Their translations");
  input.text("--tokenizer", options->tokenizer, kTokenizerHelp, "NAME");
  input.path("--pairs", options->pairs, "Instead: what kette tokenize made of such texts", "DIR")
      .excludes(source);
  input
      .number("--synthetic", options->synthetic, at_least(1),
              "Instead: so many pairs, of which there are the lengths alone")
      .excludes(source);
  OptionGroup measuring(command, "Measuring");
  measuring.number("--batch-tokens", options->batch_tokens, at_least(1),
                   "Of a batch's larger side");
  measuring.number("--batches", options->batches, at_least(1), "That are made");
  measuring.number("--bpe-dropout", options->bpe_dropout, rate(), "As in training");
  add_common_options(command, options->common);
  when_read(command, [options] { check(*options); });
  when_run(command, [options] { run(*options); });
}

}  // namespace

const Command bench_corpus_command = {"corpus", "Batches of sentence pairs, without a model",
                                      add_bench_corpus_options};

}  // namespace kette::cli
