#include "inspect/training/corpus_page.h"

#include <algorithm>

#include "inspect/page/html.h"
#include "inspect/page/page.h"

namespace kette {
namespace {

const OddPairs* find(const TextReport& text, Oddity oddity) {
  const auto found =
      std::find_if(text.findings.begin(), text.findings.end(),
                   [&](const OddPairs& finding) { return finding.oddity == oddity; });
  return found == text.findings.end() ? nullptr : &*found;
}

HtmlTable::Cell cell_of(const TextReport& text, const OddityInfo& info) {
  const OddPairs* finding = find(text, info.oddity);
  if (finding == nullptr) return "\xE2\x80\x93";
  const double share = text.share(*finding);
  std::string html = std::to_string(finding->pairs) + " <small>" + percent(share) + "</small>";
  if (text.is_warning(*finding)) html = "<strong class=\"no\">warning</strong> " + html;
  HtmlTable::Cell cell = HtmlTable::Cell::html(html);
  cell.share = std::min(1.0, share / info.threshold);
  return cell;
}

std::string table_of_findings(const CorpusReport& report) {
  std::vector<HtmlTable::Column> columns = {{"finding"}, {"a warning above", true}};
  for (const TextReport& text : report.texts) {
    columns.push_back({text.files.source.filename().string(), true, text.name()});
  }
  HtmlTable table(columns);
  for (const OddityInfo& info : oddities()) {
    std::vector<HtmlTable::Cell> row = {info.title, percent(info.threshold)};
    for (const TextReport& text : report.texts) row.push_back(cell_of(text, info));
    table.row(row);
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
  std::string html = note(std::to_string(text.pairs) + " pairs, " + escaped(text.languages()) +
                          ". Of each finding some pairs, drawn from all of them.");
  for (const OddPairs& finding : text.findings) {
    if (finding.pairs == 0) continue;
    html += "<h3>" + escaped(info_of(finding.oddity).title) + "</h3>\n<p>" +
            escaped(told(text, finding));
    if (finding.sources + finding.targets > 0) {
      html += ": " + std::to_string(finding.sources) + " sources and " +
              std::to_string(finding.targets) + " targets";
    }
    html += ".</p>\n" + (finding.samples.empty() ? "" : table_of_samples(finding));
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
  page.section(
      "Findings",
      note(
          "How many pairs, and which share of their text. A bar that is full is a warning; fewer than " +
          std::to_string(kTooFewToWarn) + " pairs are none.") +
          table_of_findings(report));
  for (const TextReport& text : report.texts) {
    page.section(enum_name(text.role) + ": " + text.name(), samples_of(text));
  }
  return page.str();
}

}  // namespace kette
