#include "inspect/training/corpus_page.h"

#include <algorithm>

#include "inspect/page/html.h"
#include "inspect/page/page.h"

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

std::string table_of_texts(const CorpusReport& report) {
  HtmlTable table({{"text"}, {"files"}, {"pairs", true}, {"languages"}, {"warnings"}});
  for (const TextReport& text : report.texts) {
    table.row({enum_name(text.role), short_name(text), std::to_string(text.pairs), text.languages(),
               HtmlTable::Cell::html(warnings_of(text))});
  }
  return table.str();
}

HtmlTable::Cell share_of(const TextReport& text, const OddPairs& finding) {
  const double share = text.share(finding);
  const bool warns = text.is_warning(finding);
  HtmlTable::Cell cell = HtmlTable::Cell::html(
      (warns ? "<strong class=\"no\">warning</strong> " : "") + percent(share));
  cell.share = std::min(1.0, share / info_of(finding.oddity).threshold);
  return cell;
}

std::string table_of_findings(const TextReport& text) {
  HtmlTable table({{"finding"},
                   {"pairs", true},
                   {"share", true, "a bar that is full is a warning"},
                   {"a warning above", true},
                   {"sources", true, "of what a side has by itself"},
                   {"targets", true, "of what a side has by itself"}});
  for (const OddPairs& finding : text.findings) {
    const OddityInfo& info = info_of(finding.oddity);
    const bool of_sides = finding.sources + finding.targets > 0;
    table.row({info.title, std::to_string(finding.pairs), share_of(text, finding),
               percent(info.threshold), of_sides ? std::to_string(finding.sources) : "",
               of_sides ? std::to_string(finding.targets) : ""});
  }
  return table.str();
}

std::string table_of_samples(const OddPairs& finding) {
  HtmlTable table({{"line", true}, {"source"}, {"target"}, {"what"}});
  for (const PairSample& sample : finding.samples) {
    table.row({std::to_string(sample.line), sample.source, sample.target, sample.note});
  }
  return table.str();
}

std::string samples_of(const TextReport& text) {
  std::string html =
      note(escaped(text.name()) + ": " + std::to_string(text.pairs) + " pairs, " +
           escaped(text.languages()) + ". A bar that is full is a warning; fewer than " +
           std::to_string(kTooFewToWarn) +
           " pairs are none. Of each finding some pairs, drawn from all of them.") +
      table_of_findings(text);
  for (const OddPairs& finding : text.findings) {
    if (finding.pairs == 0) continue;
    html += "<h3>" + escaped(info_of(finding.oddity).title) + "</h3>\n<p>" +
            escaped(told(text, finding)) + ".</p>\n" +
            (finding.samples.empty() ? "" : table_of_samples(finding));
  }
  return html;
}

}  // namespace

std::string corpus_page(const CorpusReport& report) {
  std::int64_t pairs = 0;
  for (const TextReport& text : report.texts) pairs += text.pairs;
  const std::int64_t warnings = report.warnings();
  Page page("A corpus that was looked at",
            std::to_string(pairs) + " pairs in " + std::to_string(report.texts.size()) +
                (report.texts.size() == 1 ? " text, " : " texts, ") + std::to_string(warnings) +
                (warnings == 1 ? " warning" : " warnings") + ". Made by kette check.");
  page.section("Texts", table_of_texts(report));
  for (const TextReport& text : report.texts) {
    page.section(enum_name(text.role) + ": " + short_name(text), samples_of(text));
  }
  return page.str();
}

}  // namespace kette
