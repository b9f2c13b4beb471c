// `kette bench translate`: sentences per second of beam search. A random model with forced output lengths
// does the same work as a trained one. So two programs can be compared without sharing a model.
#include <algorithm>
#include <memory>
#include <span>

#include "cli/bench/bench_ids.h"
#include "cli/commands/commands.h"
#include "cli/common.h"
#include "cli/decoding.h"
#include "cli/host.h"
#include "cli/show.h"
#include "data/files/text_file.h"
#include "data/tokenizers/sentencepiece_tokenizer.h"
#include "models/transformer.h"
#include "tensor/random.h"
#include "tensor/stopwatch.h"

namespace kette::cli {
namespace {

struct BenchTranslateOptions {
  CommonOptions common;
  Device device;
  std::optional<DType> weights;
  DType cache = DType::f32;
  std::string preset = "tiny", ids = "zipf";
  std::filesystem::path source, tokenizer;
  DecodingOptions decoding;
  WorkOptions work;
  std::int64_t sentences = 1000, length = 14, pieces = 10000, steps = 5, warmup = 1, shortlist = 0;
  std::uint64_t seed = 1;
};

std::vector<std::vector<std::int32_t>> random_sources(const BenchTranslateOptions& o,
                                                      std::int64_t vocabulary) {
  const BenchIds ids(o.ids, SpecialTokens{}.end + 1, vocabulary);
  Random random(o.seed, 1);
  std::vector<std::vector<std::int32_t>> sources(o.sentences);
  for (auto& source : sources) {
    source.resize(o.length);
    for (auto& id : source) id = ids.draw(random);
  }
  return sources;
}

std::vector<std::vector<std::int32_t>> text_sources(const BenchTranslateOptions& o,
                                                    std::int64_t vocabulary) {
  const TextLines lines = read_lines(o.source);
  SentencePieceOptions settings;
  settings.vocabulary = std::min(o.pieces, vocabulary);
  const SharedTokenizer tokenizer = o.tokenizer.empty()
                                        ? SentencePieceTokenizer::train(lines.views(), settings)
                                        : load_tokenizer(o.tokenizer);
  KETTE_CHECK(tokenizer->vocabulary() <= vocabulary, "bench: expected a tokenizer of at most ",
              vocabulary, " pieces, given ", tokenizer->vocabulary());
  return tokenizer->encode_all(lines.views());
}

/// About as many tokens as asked for, in another choice for each sentence.
std::vector<std::int32_t> random_shortlist(std::span<const std::int32_t> source, std::int64_t count,
                                           std::int64_t vocabulary) {
  std::uint64_t seed = 0;
  for (const std::int32_t id : source) seed = 31 * seed + static_cast<std::uint64_t>(id);
  Random random(seed, 2);
  const std::int32_t first = SpecialTokens{}.end + 1;
  std::vector<std::int32_t> chosen(static_cast<std::size_t>(count));
  for (auto& id : chosen) id = first + static_cast<std::int32_t>(random.below(vocabulary - first));
  return chosen;
}

void run(BenchTranslateOptions& o) {
  const int threads = use_threads(o.common);
  const DType weight_type = o.weights.value_or(DType::f32);
  const TransformerConfig config = TransformerConfig::preset(o.preset);
  o.decoding.search.forced_length = o.length;
  if (o.shortlist > 0) {
    o.decoding.shortlist = [&](std::span<const std::int32_t> source) {
      return random_shortlist(source, o.shortlist, config.vocabulary);
    };
  }
  o.decoding.check();
  const auto sources =
      o.source.empty() ? random_sources(o, config.vocabulary) : text_sources(o, config.vocabulary);
  Transformer model(config);
  check_width(o.decoding.search, model);
  model.materialize(o.seed, DType::f32, o.device, Gradients::none);
  const auto ready = model.for_decoding({weight_type, o.cache});
  model.parameters().release();  // as commands that decode do
  std::vector<double> times;
  double target_tokens = 0, all_seconds = 0, of_processors = 0;
  for (std::int64_t run = 0; run < o.warmup + o.steps; ++run) {
    check_interrupt();
    const double before = processor_seconds();
    const Stopwatch watch;
    const auto found = translate_ids(*ready, sources, o.decoding, o.work);
    const double seconds = watch.seconds();
    target_tokens = 0;
    for (const auto& n_best : found)
      target_tokens += static_cast<double>(n_best.front().tokens.size());
    if (run < o.warmup) continue;
    times.push_back(seconds);
    all_seconds += seconds;
    of_processors += processor_seconds() - before;
  }
  const double typical = median(times);
  const auto sentences = static_cast<double>(sources.size());
  to_stdout() << text(
      "%.0f sentences in %.3f s: %.1f sentences/s, %.0f target tokens/s (median of %lld runs)\n",
      sentences, typical, sentences / typical, target_tokens / typical,
      static_cast<long long>(o.steps));
  show(Report::of_facts({{"preset", o.preset},
                         {"device", o.device.str()},
                         {"weights", name_of(weight_type)},
                         {"cache", name_of(o.cache)},
                         {"threads", threads},
                         {"beam", o.decoding.search.beam},
                         {"shortlist", o.shortlist},
                         {"sentences", sources.size()},
                         {"seconds", typical},
                         {"sentences_per_second", sentences / typical},
                         {"target_tokens_per_second", target_tokens / typical},
                         {"processor_share", of_processors / all_seconds / threads},
                         {"peak_rss_mib", peak_rss_mib()}}),
       o.common);
}

void add_bench_translate_options(CLI::App& command) {
  auto options = std::make_shared<BenchTranslateOptions>();
  OptionGroup model(command, "Model");
  model.choice("--preset", options->preset, transformer_family().presets, "Its size");
  add_device_option(model, options->device);
  add_weights_option(model, options->weights, name_of(DType::f32));
  add_cache_option(model, options->cache);
  OptionGroup text(command, "Sentences (default: random ones)");
  const Option source = text.path("--src", options->source, "Real ones");
  text.path("--tokenizer", options->tokenizer,
            "A SentencePiece model for them (default: train one on them)")
      .needs(source);
  text.number("--pieces", options->pieces, at_least(1), "Its pieces when it is trained")
      .needs(source);
  text.number("--sentences", options->sentences, at_least(1), "How many random ones");
  text.number("--length", options->length, at_least(1),
              "Tokens of a random sentence, and of every translation");
  add_ids_option(text, options->ids);
  OptionGroup search(command, "Search");
  search.number("--beam", options->decoding.search.beam, at_least(1), "Hypotheses kept");
  search.number("--batch-tokens", options->work.batch_tokens, at_least(1),
                "Tokens times beam that each thread has at once");
  search.number("--shortlist", options->shortlist, at_least(0),
                "Choose from about so many random tokens for each sentence, on a CPU; 0: all");
  OptionGroup measuring(command, "Measuring");
  measuring.number("--steps", options->steps, at_least(1), "Timed runs; their median counts");
  measuring.number("--warmup", options->warmup, at_least(0), "Runs before them");
  measuring.number("--seed", options->seed, "Of the model and the sentences");
  add_common_options(command, options->common);
  when_run(command, [options] { run(*options); });
}

}  // namespace

const Command bench_translate_command = {"translate", "Beam search with a random model",
                                         add_bench_translate_options};

}  // namespace kette::cli
