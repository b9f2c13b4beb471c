// `kette bench tokenize`: the speed of a tokenizer.
#include <memory>

#include "cli/commands/commands.h"
#include "cli/common.h"
#include "cli/host.h"
#include "cli/show.h"
#include "cli/tokenizer_option.h"
#include "data/files/text_file.h"
#include "tensor/stopwatch.h"

namespace kette::cli {
namespace {

struct BenchTokenizeOptions {
  CommonOptions common;
  std::filesystem::path text;
  std::string tokenizer;
  std::int64_t steps = 9, warmup = 2;
};

void run(const BenchTokenizeOptions& o) {
  const int threads = use_threads(o.common);
  const std::string content = read_text(o.text);
  Stopwatch watch;
  const SharedTokenizer tokenizer = load_named_tokenizer(o.tokenizer);
  const double load_seconds = watch.seconds();
  std::vector<double> times;
  std::size_t tokens = 0;
  for (std::int64_t pass = 0; pass < o.warmup + o.steps; ++pass) {
    check_interrupt();
    watch.restart();
    tokens = tokenizer->encode(content).size();
    if (pass >= o.warmup) times.push_back(watch.seconds());
  }
  const double typical = median(times);
  const double megabytes = static_cast<double>(content.size()) / 1e6;
  to_stdout() << text(
      "%.2f MB, %s tokens in %.4f s: %.0f tokens/s, %.1f MB/s (median of %lld passes)\n", megabytes,
      with_commas(static_cast<std::int64_t>(tokens)).c_str(), typical,
      static_cast<double>(tokens) / typical, megabytes / typical, static_cast<long long>(o.steps));
  show(Report::of_facts({{"tokenizer", tokenizer->fingerprint()},
                         {"threads", threads},
                         {"bytes", content.size()},
                         {"tokens", tokens},
                         {"load_seconds", load_seconds},
                         {"seconds", typical},
                         {"tokens_per_second", static_cast<double>(tokens) / typical},
                         {"megabytes_per_second", megabytes / typical},
                         {"peak_rss_mib", peak_rss_mib()}}),
       o.common);
}

void add_bench_tokenize_options(CLI::App& command) {
  auto options = std::make_shared<BenchTokenizeOptions>();
  OptionGroup input(command, "Input");
  input.path("--text", options->text, "Text, plain, gzip, xz or zstd").required();
  input.text("--tokenizer", options->tokenizer, kTokenizerHelp, "NAME").required();
  OptionGroup measuring(command, "Measuring");
  measuring.number("--steps", options->steps, at_least(1), "Timed passes; their median counts");
  measuring.number("--warmup", options->warmup, at_least(0), "Passes before them");
  add_common_options(command, options->common);
  when_run(command, [options] { run(*options); });
}

}  // namespace

const Command bench_tokenize_command = {"tokenize", "Text to ids", add_bench_tokenize_options};

}  // namespace kette::cli
