#include "inspect/training/corpus_report.h"

#include <algorithm>

#include "data/files/json_text.h"
#include "inspect/page/html.h"
#include "inspect/report/text.h"
#include "tensor/shortest.h"
#include "tensor/suggestion.h"

namespace kette {
namespace {

std::string short_name(const TextReport& text) {
  const auto name = [](const TextColumn& side) {
    return TextColumn(side.file.filename(), side.column).name();
  };
  return name(text.files.source) + " and " + name(text.files.target);
}

std::string warnings_of(const TextReport& text) {
  std::string names;
  for (const OddPairs& finding : text.findings) {
    if (!text.is_warning(finding)) continue;
    names += (names.empty() ? "" : ", ") + std::string(info_of(finding.oddity).title);
  }
  return names.empty() ? "none" : "<strong class=\"no\">" + escaped(names) + "</strong>";
}

std::string warning_above(double threshold) { return "above " + shortest(100 * threshold) + " %"; }

/// "  line 3: what is odd", and the texts below it.
std::string sample_text(const std::string& place, const PairSample& sample, bool has_target) {
  return "  " + place + " " + std::to_string(sample.line) +
         (sample.note.empty() ? "" : ": " + sample.note) + "\n    " + sample.source + "\n" +
         (has_target ? "    " + sample.target + "\n" : "");
}

std::string samples_text(const TextReport& report, const OddPairs& pairs) {
  std::string all = "\n" + told(report, pairs) + ", such as\n";
  for (const PairSample& sample : pairs.samples) all += sample_text("line", sample, true);
  return all;
}

Data samples_of(const OddPairs& pairs) {
  Json samples = Json::array();
  for (const PairSample& sample : pairs.samples) {
    samples.push_back({{"line", sample.line},
                       {"source", sample.source},
                       {"target", sample.target},
                       {"note", sample.note}});
  }
  return nested(std::move(samples));
}

/// threshold: says how much is a warning, and whether this is one.
Table findings_of(const TextReport& report, const std::vector<OddPairs>& findings,
                  bool with_warnings) {
  constexpr Where kShown = kText | kPage;
  const char* of_side = "of what a side has by itself";
  const auto side = [](const OddPairs& odd, std::int64_t count) {
    return odd.sources + odd.targets > 0 ? Cell(count) : Cell("");
  };
  std::vector<ColumnOf<OddPairs>> columns = {
      {{.key = "finding", .where = kJson}, [](const auto& odd) { return enum_name(odd.oddity); }},
      {{.title = "finding", .where = kShown},
       [](const auto& odd) { return info_of(odd.oddity).title; }},
      {{.key = "pairs", .title = "pairs", .digits = grouped()}, &OddPairs::pairs},
      {{.key = "sources", .where = kJson}, &OddPairs::sources},
      {{.key = "targets", .where = kJson}, &OddPairs::targets},
      {{.title = "in source", .digits = grouped(), .help = of_side, .where = kShown},
       [side](const auto& odd) { return side(odd, odd.sources); }},
      {{.title = "in target", .digits = grouped(), .help = of_side, .where = kShown},
       [side](const auto& odd) { return side(odd, odd.targets); }},
      {{.key = "share",
        .title = "share",
        .digits = percents(1),
        .help = "a bar that is full is a warning"},
       [&report](const auto& odd) {
         const double share = report.share(odd);
         const bool warns = report.is_warning(odd);
         return Cell(share)
             .as(percent(share))
             .with_bar(std::min(1.0, share / info_of(odd.oddity).threshold))
             .draw((warns ? "<strong class=\"no\">warning</strong> " : "") + percent(share));
       }},
      {{.key = "samples", .where = kJson}, [](const auto& odd) { return samples_of(odd); }}};
  if (with_warnings) {
    columns.push_back(
        {{.title = "a warning", .digits = percents(1), .where = kShown},
         [](const auto& odd) { return warning_above(info_of(odd.oddity).threshold); }});
    columns.push_back({{.key = "threshold", .where = kJson},
                       [](const auto& odd) { return info_of(odd.oddity).threshold; }});
    columns.push_back({{.key = "warning", .where = kJson},
                       [&report](const auto& odd) { return report.is_warning(odd); }});
    columns.push_back({{.where = kText}, [&report](const auto& odd) {
                         return report.is_warning(odd) ? "WARNING" : "";
                       }});
  }
  return tabulated("findings", findings, columns);
}

Table samples_table(const OddPairs& finding) {
  return tabulated("", finding.samples,
                   {{{.title = "line", .digits = whole()}, &PairSample::line},
                    {{.title = "source"}, &PairSample::source},
                    {{.title = "target"}, &PairSample::target},
                    {{.title = "what"}, &PairSample::note}});
}

Report to_report(const TextReport& text) {
  Report report;
  report.line(std::string(enum_name(text.role)) + ": " + text.name() + ", " +
              with_commas(text.pairs) + " pairs, " + text.languages() + "\n");
  report.fact("role", enum_name(text.role));
  report.fact("source", text.files.source.name());
  report.fact("target", text.files.target.name());
  report.fact("pairs", text.pairs);
  report.fact("source_language", text.source_language);
  report.fact("target_language", text.target_language);
  report.section(std::string(enum_name(text.role)) + ": " + short_name(text));
  report.note(escaped(short_name(text)) + ": " + with_commas(text.pairs) + " pairs, " +
              escaped(text.languages()) + ". A bar that is full is a warning; fewer than " +
              std::to_string(kTooFewToWarn) +
              " pairs are none. Of each finding some pairs, drawn from all of them.");
  report.table(findings_of(text, text.findings, true));
  for (const OddPairs& finding : text.findings) {
    if (!finding.samples.empty()) report.line(samples_text(text, finding));
    if (finding.pairs == 0) continue;
    report.heading(info_of(finding.oddity).title);
    report.line(told(text, finding) + ".", kPage);
    if (!finding.samples.empty()) report.table(samples_table(finding), kPage);
  }
  report.line("\n");
  return report;
}

}  // namespace

Report to_report(const CorpusReport& corpus) {
  std::int64_t pairs = 0;
  std::vector<Report> texts;
  for (const TextReport& text : corpus.texts) {
    pairs += text.pairs;
    texts.push_back(to_report(text));
  }
  const std::int64_t warnings = corpus.warnings();
  const std::string of_warnings =
      std::to_string(warnings) + (warnings == 1 ? " warning" : " warnings");
  Report report{
      .title = "A corpus that was looked at",
      .lead = with_commas(pairs) + " pairs in " + std::to_string(corpus.texts.size()) +
              (corpus.texts.size() == 1 ? " text give " : " texts give ") + of_warnings +
              "; below, each text has a table of what is odd in it, and pairs to look at.",
      .about = "Made by kette check."};
  report.fact("warnings", warnings);
  report.section("Texts");
  report.table(
      tabulated("", corpus.texts,
                {{{.title = "text"}, [](const auto& text) { return enum_name(text.role); }},
                 {{.title = "files"}, [](const auto& text) { return short_name(text); }},
                 {{.title = "pairs", .digits = grouped()}, &TextReport::pairs},
                 {{.title = "languages"}, &TextReport::languages},
                 {{.title = "warnings"},
                  [](const auto& text) { return Cell().draw(warnings_of(text)); }}}),
      kPage);
  report.list("texts", std::move(texts));
  report.line(of_warnings + "\n");
  report.page_file();
  return report;
}

Report left_out(const TextReport& of, const std::vector<OddPairs>& odd) {
  Report report;
  const bool has_any =
      std::any_of(odd.begin(), odd.end(), [](const OddPairs& one) { return one.pairs > 0; });
  if (has_any) report.line("\nleft out of " + of.name() + ":\n");
  for (const OddPairs& one : odd) {
    if (one.pairs > 0) report.line(samples_text(of, one));
  }
  report.fact("source", of.files.source.name());
  report.fact("target", of.files.target.name());
  report.table(findings_of(of, odd, false), kJson);
  return report;
}

Report left_out(const std::vector<std::string>& files, const LeftOutDocuments& odd) {
  Json findings = Json::array();
  Report report;
  for (const OddPairs& one : odd.odd) {
    const double share = static_cast<double>(one.pairs) / static_cast<double>(odd.documents);
    Json samples = Json::array();
    if (one.pairs > 0) {
      report.line("\nleft out of " + joined(files) + ": " + std::to_string(one.pairs) + " of " +
                  std::to_string(odd.documents) + " documents (" + percent(share) + "), " +
                  info_of(one.oddity).title + ", such as\n");
    }
    for (const PairSample& sample : one.samples) {
      report.line(sample_text("document", sample, false));
      samples.push_back(
          {{"document", sample.line}, {"text", sample.source}, {"note", sample.note}});
    }
    findings.push_back({{"finding", enum_name(one.oddity)},
                        {"documents", one.pairs},
                        {"share", share},
                        {"samples", samples}});
  }
  report.fact("files", nested(files));
  report.fact("findings", nested(std::move(findings)));
  return report;
}

Report report_of_oddities() {
  Report report{
      .title = "What is looked for",
      .lead =
          "Each row is an oddity that kette check finds, and from which share of the pairs on it warns.",
      .about = "Made by kette check --list."};
  report.table(tabulated(
      "findings", oddities(),
      {{{.key = "finding", .title = "finding"},
        [](const auto& info) { return enum_name(info.oddity); }},
       {{.key = "threshold", .title = "a warning", .digits = percents(1)},
        [](const auto& info) { return Cell(info.threshold).as(warning_above(info.threshold)); }},
       {{.key = "what", .title = "pairs that"}, &OddityInfo::what}}));
  report.line("Fewer than " + std::to_string(kTooFewToWarn) + " pairs are no warning.\n",
              kText | kPage);
  return report;
}

}  // namespace kette
