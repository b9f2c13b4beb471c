// `kette check`: what is odd about a parallel corpus, as a table with samples, JSON and a page.
#include <iostream>
#include <memory>

#include "cli/columns.h"
#include "cli/commands/commands.h"
#include "cli/common.h"
#include "cli/odd_pairs.h"
#include "cli/page_file.h"
#include "cli/parallel_texts.h"
#include "cli/tokenizer_option.h"
#include "data/checks/corpus_check.h"
#include "data/files/json_text.h"
#include "inspect/training/corpus_page.h"
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
  std::filesystem::path page;
  std::int64_t samples = 10;
  bool list = false, quiet = false;

  CheckedTexts texts() const {
    return {parallel_texts(sources, targets, tsv),
            parallel_files(valid_sources, valid_targets, "--valid-"),
            parallel_files(test_sources, test_targets, "--test-")};
  }
};

std::string warning_above(double threshold) { return "above " + shortest(100 * threshold) + " %"; }

void list_oddities(bool as_json) {
  Columns table;
  table.row({"finding", "a warning", "pairs that"});
  Json list = Json::array();
  for (const OddityInfo& info : oddities()) {
    table.row({enum_name(info.oddity), warning_above(info.threshold), info.what});
    list.push_back(
        {{"finding", enum_name(info.oddity)}, {"threshold", info.threshold}, {"what", info.what}});
  }
  table.print();
  std::cout << "Fewer than " << kTooFewToWarn << " pairs are no warning.\n";
  if (as_json) print_json({{"findings", list}});
}

void print(const TextReport& report) {
  std::cout << enum_name(report.role) << ": " << for_stdout(report.name()) << ", "
            << with_commas(report.pairs) << " pairs, " << report.languages() << "\n";
  Columns table;
  table.row({"finding", "pairs", "in source", "in target", "share", "a warning", ""});
  for (const OddPairs& finding : report.findings) {
    const OddityInfo& info = info_of(finding.oddity);
    const bool of_sides = finding.sources + finding.targets > 0;
    table.row({info.title, with_commas(finding.pairs), of_sides ? with_commas(finding.sources) : "",
               of_sides ? with_commas(finding.targets) : "", percent(report.share(finding)),
               warning_above(info.threshold), report.is_warning(finding) ? "WARNING" : ""});
  }
  table.print();
  for (const OddPairs& finding : report.findings) {
    if (!finding.samples.empty()) print_samples(report, finding);
  }
  std::cout << "\n";
}

Json to_json(const TextReport& report) {
  Json findings = Json::array();
  for (const OddPairs& finding : report.findings) {
    Json json = odd_pairs_json(report, finding);
    json["threshold"] = info_of(finding.oddity).threshold;
    json["warning"] = report.is_warning(finding);
    findings.push_back(json);
  }
  return {{"role", enum_name(report.role)},
          {"source", report.files.source.name()},
          {"target", report.files.target.name()},
          {"pairs", report.pairs},
          {"source_language", report.source_language},
          {"target_language", report.target_language},
          {"findings", findings}};
}

void run(const CheckCommandOptions& o) {
  const int threads = use_threads(o.common);
  if (o.list) return list_oddities(o.common.json);
  CheckOptions options;
  options.samples = static_cast<std::size_t>(o.samples);
  if (!o.tokenizer.empty()) options.tokenizer = load_named_tokenizer(o.tokenizer);
  const Stopwatch watch;
  CorpusReport report;
  {
    StatusLine line(o.quiet);
    report = check_corpus(o.texts(), options, [&](double share) {
      line.show([&] {
        return text("%.0f %% of the text", 100 * share) + time_left(line.seconds(), share);
      });
    });
  }
  const std::int64_t warnings = report.warnings();
  Json json = {{"warnings", warnings}, {"texts", Json::array()}};
  for (const TextReport& of_text : report.texts) {
    print(of_text);
    json["texts"].push_back(to_json(of_text));
  }
  std::cout << warnings << (warnings == 1 ? " warning\n" : " warnings\n");
  if (!o.page.empty()) write_page(o.page, corpus_page(report), json);
  json["seconds"] = watch.seconds();
  json["processor_seconds"] = processor_seconds();
  json["peak_rss_mib"] = peak_rss_mib();
  json["threads"] = threads;
  if (o.common.json) print_json(json);
  if (warnings > 0 && o.fail_on == "warnings") exit_with(1);
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
  add_page_option(report, "--page", options->page, "Where a page with all of it goes");
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
