// `kette tokenize`: text files to one file of ids that a language model trains on.
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/common.h"
#include "cli/tokenizer_option.h"
#include "data/tokenize_files.h"
#include "train/progress.h"

namespace kette::cli {
namespace {

using Clock = std::chrono::steady_clock;

struct TokenizeCommandOptions {
  CommonOptions common;
  std::vector<std::string> files;
  std::string tokenizer, documents = "file";
  std::filesystem::path out;
  bool quiet = false;
};

/// One line on stderr, written over and over on a terminal, now and then anew in a file.
class TokenizeLine {
 public:
  explicit TokenizeLine(bool quiet) : quiet_(quiet), terminal_(::isatty(STDERR_FILENO)) {}
  ~TokenizeLine() {
    if (is_open_) std::fputs("\r\033[K", stderr);
  }
  TokenizeLine(const TokenizeLine&) = delete;
  TokenizeLine& operator=(const TokenizeLine&) = delete;

  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

  void show(const TokenizeReport& report, double share) {
    const auto now = Clock::now();
    if (quiet_ || now - last_ < std::chrono::milliseconds(terminal_ ? 500 : 10000)) return;
    last_ = now;
    const double passed = seconds();
    const std::string left =
        share > 0 ? clock_time(passed * (1 - share) / share) + " left" : "end unknown";
    const std::string line =
        text("%s documents  %s tokens  %.1f MB/s  %s", with_commas(report.documents).c_str(),
             with_commas(report.tokens).c_str(), static_cast<double>(report.bytes) / 1e6 / passed,
             left.c_str());
    std::fprintf(stderr, terminal_ ? "\r\033[K%s" : "%s\n", line.c_str());
    is_open_ = terminal_;
  }

 private:
  bool quiet_, terminal_, is_open_ = false;
  Clock::time_point start_ = Clock::now(), last_ = start_;
};

void run(const TokenizeCommandOptions& o) {
  const int threads = use_threads(o.common);
  const SharedTextTokenizer tokenizer = load_named_tokenizer(o.tokenizer);
  TokenizeReport report;
  double seconds = 0;
  {
    TokenizeLine line(o.quiet);
    report = tokenize_files(
        {o.files.begin(), o.files.end()}, *tokenizer, parse_document_kind(o.documents), o.out,
        [&](const TokenizeReport& so_far, double share) { line.show(so_far, share); });
    seconds = line.seconds();
  }
  const double tokens = static_cast<double>(report.tokens);
  const double bytes = static_cast<double>(report.bytes);
  std::cout << o.out.string() << ": "
            << text("%s tokens of %s bytes in %s document%s, %.2f bytes a token\n",
                    with_commas(report.tokens).c_str(), with_commas(report.bytes).c_str(),
                    with_commas(report.documents).c_str(), report.documents == 1 ? "" : "s",
                    bytes / tokens);
  if (!o.common.json) return;
  print_json({{"out", o.out.string()},
              {"tokenizer", tokenizer->fingerprint()},
              {"vocabulary", tokenizer->vocabulary()},
              {"documents", report.documents},
              {"tokens", report.tokens},
              {"bytes", report.bytes},
              {"seconds", seconds},
              {"tokens_per_second", tokens / seconds},
              {"megabytes_per_second", bytes / 1e6 / seconds},
              {"peak_rss_mib", peak_rss_mib()},
              {"threads", threads}});
}

}  // namespace

void add_tokenize_command(CLI::App& program) {
  CLI::App* command =
      program.add_subcommand("tokenize", "Turn text into ids that a language model trains on");
  auto options = std::make_shared<TokenizeCommandOptions>();
  OptionGroup group(*command, "Text");
  group.list("--text", options->files, "Text files, plain or gzip, one after the other")
      ->required()
      ->allow_extra_args();
  group.text("--tokenizer", options->tokenizer, kTokenizerHelp, "NAME")->required();
  group.path("--out", options->out, "The file of ids to write (safetensors)")->required();
  group.choice(
      "--documents", options->documents, {"file", "line", "paragraph"},
      "What ends in an end of text: each file, each line, or the lines between blank ones");
  group.flag("--quiet", options->quiet, "No progress line");
  add_common_options(*command, options->common);
  command->callback([options] { run(*options); });
}

}  // namespace kette::cli
