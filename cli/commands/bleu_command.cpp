// `kette bleu`: BLEU, chrF or TER of translations on stdin, equal to sacreBLEU.

#include <memory>

#include "cli/commands/commands.h"
#include "cli/common.h"
#include "cli/host.h"
#include "cli/scoring.h"
#include "cli/sentences.h"
#include "cli/show.h"
#include "data/files/text_file.h"

namespace kette::cli {
namespace {

struct BleuCommandOptions {
  CommonOptions common;
  ScoringOptions scoring;
  std::vector<std::string> references;
  std::filesystem::path input, against;
  bool sentence_level = false, missing_references = false;
};

/// An empty line of a reference is none, if asked.
ScoreLines references_in(const TextLines& lines, const BleuCommandOptions& o) {
  ScoreLines references = lines.views();
  for (std::string_view& line : references) {
    if (o.missing_references && line.find_first_not_of(" \t") == std::string_view::npos) {
      line = kNoReference;
    }
  }
  return references;
}

TextLines read_hypotheses(const BleuCommandOptions& o) {
  if (!is_stdin(o.input)) return read_lines(o.input, kWholeText);
  TextLines lines = read_lines(stdin_descriptor(), "stdin", kWholeText);
  KETTE_CHECK(!lines.empty(), "stdin: expected translations, one a line, given nothing");
  return lines;
}

void run(const BleuCommandOptions& o) {
  use_threads(o.common);
  std::vector<TextLines> reference_lines;
  for (const std::string& file : o.references) {
    reference_lines.push_back(read_lines(file, kWholeText));
  }
  const TextLines hypotheses = read_hypotheses(o);
  const auto check_lines = [&](const TextLines& lines, const std::string& file) {
    KETTE_CHECK(lines.size() == hypotheses.size(), file, ": expected ", hypotheses.size(),
                " lines, as many as there are translations, given ", lines.size());
  };
  std::vector<ScoreLines> references;
  for (std::size_t i = 0; i < reference_lines.size(); ++i) {
    check_lines(reference_lines[i], o.references[i]);
    references.push_back(references_in(reference_lines[i], o));
  }
  OtherSystem other{o.against.string(), {}};
  TextLines other_lines;
  if (!o.against.empty()) {
    other_lines = read_lines(o.against, kWholeText);
    check_lines(other_lines, other.name);
    other.translations = other_lines.views();
  }
  if (o.sentence_level) {
    const Metric metric = o.scoring.metric(true);
    for (std::int64_t i = 0; i < hypotheses.size(); ++i) {
      std::vector<ScoreLines> of_sentence;
      for (const ScoreLines& lines : references) {
        of_sentence.push_back({lines[static_cast<std::size_t>(i)]});
      }
      to_stdout() << text("%.4f\n", ScoreStatistics(metric, {hypotheses[i]}, of_sentence).score());
    }
  }
  Report report = report_of_scores(hypotheses.views(), references, other, o.scoring);
  report.about = std::string("Of ") +
                 (is_stdin(o.input) ? "translations on stdin" : o.input.filename().string()) +
                 ". Made by kette bleu.";
  show(report, o.common);
}

void add_bleu_options(CLI::App& command) {
  auto options = std::make_shared<BleuCommandOptions>();
  OptionGroup group(command, "Text");
  group.list("--ref", options->references, "Reference translations, one file or several")
      .required();
  group.flag(
      "--missing-references", options->missing_references,
      "An empty line of a reference is none, and not one without words: lines may have different numbers of them");
  group.path("--input", options->input, "The translations (default, or -: stdin)");
  group.path(
      "--against", options->against,
      "Translations of another system: also say whether they are better or worse by more than chance");
  group.flag("--sentence-level", options->sentence_level, "Also print the score of each line");
  options->scoring.add_to(command);
  add_page_option(group, options->common);
  add_common_options(command, options->common);
  when_read(command, [options] { options->scoring.check(); });
  when_run(command, [options] { run(*options); });
}

}  // namespace

const Command bleu_command = {"bleu", "Score translations against references", add_bleu_options};

}  // namespace kette::cli
