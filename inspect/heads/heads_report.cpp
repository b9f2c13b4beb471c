#include <algorithm>
#include <cmath>
#include <functional>

#include "inspect/heads/head_columns.h"
#include "inspect/heads/head_study.h"
#include "inspect/page/html.h"
#include "inspect/report/report.h"
#include "inspect/report/text.h"

namespace kette {
namespace {

using StudyRow = HeadStudy::Row;
constexpr double kSignificant = 0.01;

/// With a star where chance is unlikely to do as much.
Cell change(const MaskedResult& result) {
  return Cell(result.change).marked(result.p < kSignificant ? "*" : " ");
}

Table table_of(const HeadStudy& study) {
  double most = 1e-30;
  for (const StudyRow& row : study.rows) most = std::max(most, row.importance.mean);
  const std::string of_change = "change of " + study.metric + ", * p < 0.01";
  std::vector<ColumnOf<StudyRow>> columns = head_columns(study.attentions, &StudyRow::head);
  const auto add = [&](const Column& column, const std::function<Cell(const StudyRow&)>& cell) {
    columns.push_back({column, cell});
  };
  const auto add_share = [&](const Column& column, double HeadScores::*score) {
    columns.push_back(
        {column, [score](const StudyRow& row) { return Cell::share(row.scores.*score); }});
  };
  const Digits two = decimals(2), p = decimals(3);
  constexpr Where kNoText = kJson | kPage;
  add({"without", "without", signed_decimals(3), 9, of_change, kEverywhere, "without it"},
      [](const StudyRow& row) { return change(row.without); });
  add({"without_p", "p", p, 0, "of a change as large by chance, paired bootstrap", kNoText},
      [](const StudyRow& row) { return row.without.p; });
  add({"alone", "alone", signed_decimals(3), 9, of_change + ", all others of its attention masked",
       kEverywhere, "it alone"},
      [](const StudyRow& row) { return change(row.alone); });
  add({"alone_p", "p", p, 0, "of that, likewise", kNoText},
      [](const StudyRow& row) { return row.alone.p; });
  add({"importance", "importance", decimals(4), 10,
       "E |dL/dgate|, nats a sentence (Michel et al. 2019)"},
      [most](const StudyRow& row) {
        return Cell(row.importance.mean).with_bar(row.importance.mean / most);
      });
  add({"importance_normalized", "normalised", two, 0, "over the norm of its attention's", kNoText},
      [](const StudyRow& row) { return row.importance.normalized; });
  add({"entropy", "entropy", two, 7, "of its probabilities, nats"},
      [](const StudyRow& row) { return row.scores.entropy; });
  add_share(
      {"confidence", "conf", two, 6, "mean of its largest probability", kEverywhere, "confidence"},
      &HeadScores::confidence);
  add_share({"previous", "-1", two, 5, "share of looks one word back"}, &HeadScores::previous);
  add_share({"same", "0", two, 5, "at the word itself"}, &HeadScores::same);
  add_share({"next", "+1", two, 5, "one word on"}, &HeadScores::next);
  add_share({"sink", "sink", two, 5,
             "share of looks at the source's end mark; in a decoder at the first token"},
            &HeadScores::sink);
  add_share({"rarest", "rarest", two, 6, "share of looks at the rarest word of the source"},
            &HeadScores::rarest);
  add_share({"alignment", "aligned", two, 7, "share of target words whose source it finds"},
            &HeadScores::alignment);
  add({"copying", "copying", signed_decimals(2), 7,
       "sum of the OV circuit's eigenvalues over that of their moduli"},
      &StudyRow::copying);
  return tabulated("heads", study.rows, columns);
}

/// A map of each of the kinds of attention that there are, layers by heads, of some number. A layer of which heads
/// were pruned ends sooner.
void add_maps(Report& report, const HeadStudy& study, const std::string& title,
              const std::vector<AttentionKind>& kinds,
              const std::function<double(const StudyRow&)>& number) {
  double most = 1e-30;
  for (const StudyRow& row : study.rows) most = std::max(most, number(row));
  std::vector<HeatMap> maps;
  for (const AttentionKind kind : kinds) {
    HeatMap map{.title = std::string(enum_name(kind)) + ": " + title,
                .most = static_cast<float>(most),
                .row_labels = "layers",
                .column_labels = "heads",
                .caption = enum_name(kind)};
    for (const AttentionPart& part : study.attentions) {
      if (part.kind != kind) continue;
      map.rows = std::max(map.rows, part.layer + 1);
      map.columns = std::max(map.columns, part.heads);
    }
    if (map.rows == 0) continue;
    map.values.resize(static_cast<std::size_t>(map.rows * map.columns));
    for (const StudyRow& row : study.rows) {
      const AttentionPart& part = study.attentions[row.head.attention];
      if (part.kind != kind) continue;
      map.values[part.layer * map.columns + row.head.head] = static_cast<float>(number(row));
    }
    maps.push_back(std::move(map));
  }
  if (!maps.empty()) report.maps(title, std::move(maps));
}

/// "head 0" and on, as many as any map has.
std::vector<std::string> numbered(const std::string& name) {
  std::vector<std::string> names;
  for (int i = 0; i < 64; ++i) names.push_back(name + " " + std::to_string(i));
  return names;
}

}  // namespace

Report to_report(const HeadStudy& study) {
  Report report;
  report.line(text("%s with all heads %.3f; * p < 0.01 by paired bootstrap of %lld %s\n\n",
                   study.metric.c_str(), study.whole, static_cast<long long>(study.segments),
                   study.segment_name.c_str()));
  report.fact("metric", study.metric);
  report.fact("whole", study.whole);
  report.fact(study.segment_name, study.segments);
  report.labels("layers", numbered("layer"));
  report.labels("heads", numbered("head"));
  const auto significant =
      std::count_if(study.rows.begin(), study.rows.end(),
                    [](const StudyRow& row) { return row.without.p < kSignificant; });
  report.section("Maps");
  report.note(study.metric + " with all heads: " + fixed(study.whole, 2) +
              ". Masking one head changes it with p < " + fixed(kSignificant, 2) + " for " +
              std::to_string(significant) + " of " + std::to_string(study.rows.size()) +
              " heads, by paired bootstrap of " + std::to_string(study.segments) + " " +
              study.segment_name + ". Rows are layers, columns heads.");
  constexpr AttentionKind encoder = AttentionKind::encoder, decoder = AttentionKind::decoder,
                          cross = AttentionKind::cross;
  add_maps(report, study, "what one head masked costs", {encoder, decoder, cross},
           [&](const StudyRow& row) { return study.cost(row.without); });
  add_maps(report, study, "importance", {encoder, decoder, cross},
           [](const StudyRow& row) { return row.importance.mean; });
  add_maps(report, study, "confidence", {encoder, decoder, cross},
           [](const StudyRow& row) { return row.scores.confidence; });
  add_maps(report, study, "looks one word back", {encoder, decoder},
           [](const StudyRow& row) { return row.scores.previous; });
  add_maps(report, study, "looks one word on", {encoder},
           [](const StudyRow& row) { return row.scores.next; });
  add_maps(report, study, "finds the aligned word", {cross},
           [](const StudyRow& row) { return row.scores.alignment; });
  report.section("Heads");
  report.note("Click a heading to sort; each heading says what it means under the pointer.");
  report.table(table_of(study));
  report.page_file();
  return report;
}

}  // namespace kette
