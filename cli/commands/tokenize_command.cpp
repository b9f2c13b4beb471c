// `kette tokenize`: text files to one file of ids that a language model trains on.
#include <iostream>
#include <memory>

#include "cli/commands/commands.h"
#include "cli/common.h"
#include "cli/tokenizer_option.h"
#include "data/corpora/token_file.h"
#include "data/corpora/tokenize_files.h"
#include "data/files/json_text.h"
#include "data/files/visible_text.h"
#include "train/status_line.h"

namespace kette::cli {
namespace {

struct TokenizeCommandOptions {
  CommonOptions common;
  std::vector<std::string> files;
  std::string tokenizer;
  DocumentKind documents = DocumentKind::file;
  std::filesystem::path out;
  bool quiet = false;
};

void run(const TokenizeCommandOptions& o) {
  const int threads = use_threads(o.common);
  check_replaces("--out", o.out, "earlier ids", [&] { TokenFile::open(o.out); });
  const SharedTokenizer tokenizer = load_named_tokenizer(o.tokenizer);
  TokenizeReport report;
  double seconds = 0;
  {
    StatusLine line(o.quiet);
    report = tokenize_files({o.files.begin(), o.files.end()}, *tokenizer, o.documents, o.out,
                            show_on(line));
    seconds = line.seconds();
  }
  const double tokens = static_cast<double>(report.tokens);
  const double bytes = static_cast<double>(report.bytes);
  std::cout << visible(o.out.string()) << ": "
            << text("%s tokens of %s bytes in %s document%s, %.2f bytes a token\n",
                    with_commas(report.tokens).c_str(), with_commas(report.bytes).c_str(),
                    with_commas(report.documents).c_str(), report.documents == 1 ? "" : "s",
                    bytes / tokens);
  if (!report.marks.empty()) std::cerr << "kette: " << visible(marks_note(report)) << "\n";
  if (!o.common.json) return;
  print_json({{"out", o.out.string()},
              {"tokenizer", tokenizer->fingerprint()},
              {"vocabulary", tokenizer->vocabulary()},
              {"documents", report.documents},
              {"tokens", report.tokens},
              {"bytes", report.bytes},
              {"marks", report.marks},
              {"seconds", seconds},
              {"tokens_per_second", tokens / seconds},
              {"megabytes_per_second", bytes / 1e6 / seconds},
              {"peak_rss_mib", peak_rss_mib()},
              {"threads", threads}});
}

}  // namespace

void add_tokenize_options(CLI::App& command) {
  auto options = std::make_shared<TokenizeCommandOptions>();
  OptionGroup group(command, "Text");
  group.list("--text", options->files, "Text files, plain or gzip, one after the other").required();
  group.text("--tokenizer", options->tokenizer, kTokenizerHelp, "NAME").required();
  group.path("--out", options->out, "The file of ids to write (safetensors)").required();
  group.choice(
      "--documents", options->documents,
      "What ends in an end of text: each file, each line, the lines between blank ones, or what stands between two <|endoftext|>");
  group.flag("--quiet", options->quiet, "No progress line");
  add_common_options(command, options->common);
  when_run(command, [options] { run(*options); });
}

}  // namespace kette::cli
