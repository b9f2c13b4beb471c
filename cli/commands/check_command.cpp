// `kette check`: finds odd text in a parallel corpus; shows a table with samples, JSON and a page.
#include <memory>

#include "cli/commands/commands.h"
#include "cli/common.h"
#include "cli/page_file.h"
#include "cli/parallel_texts.h"
#include "cli/show.h"
#include "cli/tokenizer_option.h"
#include "data/checks/corpus_check.h"
#include "inspect/training/corpus_report.h"
#include "tensor/stopwatch.h"
#include "train/status_line.h"

namespace kette::cli {
namespace {

struct CheckCommandOptions {
  CommonOptions common;
  std::vector<std::string> sources, targets, valid_sources, valid_targets, test_sources,
      test_targets;
  TsvOptions tsv;
  std::string tokenizer, fail_on = "never";
  std::int64_t samples = 10;
  bool list = false, quiet = false;

  CheckedTexts texts() const {
    return {parallel_texts(sources, targets, tsv),
            parallel_files(valid_sources, valid_targets, "--valid-"),
            parallel_files(test_sources, test_targets, "--test-")};
  }
};

void run(const CheckCommandOptions& o) {
  const int threads = use_threads(o.common);
  if (o.list) return show(report_of_oddities(), o.common);
  CheckOptions options;
  options.samples = static_cast<std::size_t>(o.samples);
  if (!o.tokenizer.empty()) options.tokenizer = load_named_tokenizer(o.tokenizer);
  const Stopwatch watch;
  CorpusReport corpus;
  {
    StatusLine line(o.quiet);
    corpus = check_corpus(o.texts(), options, [&](double share) {
      line.show(share, [] { return std::string("looking at the text"); });
    });
  }
  Report report = to_report(corpus);
  report.fact("seconds", watch.seconds());
  report.fact("processor_seconds", processor_seconds());
  report.fact("peak_rss_mib", peak_rss_mib());
  report.fact("threads", threads);
  show(report, o.common);
  if (corpus.warnings() > 0 && o.fail_on == "warnings") exit_with(1);
}

void check(const CheckCommandOptions& o) {
  if (!o.list) o.texts();
}

void add_check_options(CLI::App& command) {
  auto options = std::make_shared<CheckCommandOptions>();
  OptionGroup texts(command, "Text");
  texts.list("--src", options->sources,
             "Source sentences of the training text, plain, gzip, xz or zstd");
  texts.list("--tgt", options->targets, "Their translations, line by line");
  options->tsv.add(texts);
  texts.list("--valid-src", options->valid_sources, "Source sentences for validation");
  texts.list("--valid-tgt", options->valid_targets, "Their translations");
  texts.list("--test-src", options->test_sources, "Source sentences of test sets");
  texts.list("--test-tgt", options->test_targets, "Their translations");
  texts.text("--tokenizer", options->tokenizer,
             std::string("A vocabulary that is to spell the text, such as that of a model: ") +
                 kTokenizerHelp +
                 " (default: say only what a vocabulary that is learnt as usual will change)",
             "NAME");
  OptionGroup report(command, "Report");
  report.flag("--list", options->list,
              "List what is looked for and from which share on it is a warning, and stop");
  report.number("--samples", options->samples, at_least(0), "Pairs shown of each finding");
  add_page_option(report, "--page", options->common.out, "Where a page with all of it goes");
  report.choice("--fail-on", options->fail_on, {"never", "warnings"}, "What makes the exit code 1");
  report.flag("--quiet", options->quiet, "No progress line");
  add_common_options(command, options->common);
  when_read(command, [options] { check(*options); });
  when_run(command, [options] { run(*options); });
}

}  // namespace

const Command check_command = {
    "check", "Say what is odd about a parallel corpus before a model learns from it",
    add_check_options};

}  // namespace kette::cli
