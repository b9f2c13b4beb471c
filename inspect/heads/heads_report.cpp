#include <algorithm>
#include <cmath>
#include <functional>

#include "inspect/heads/head_columns.h"
#include "inspect/heads/head_maps.h"
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

/// A number of each head in maps of the kinds of attention for which it says something.
void add_maps(Report& report, const HeadStudy& study, HeadNumbers numbers,
              const std::function<double(const StudyRow&)>& number) {
  for (const StudyRow& row : study.rows) numbers.values.push_back(number(row));
  report.drawing([html = head_maps(study.attentions, numbers)](Page&) { return html; });
}

/// What the result does without the head that it misses most.
std::string most_missed(const HeadStudy& study) {
  const StudyRow* worst = nullptr;
  for (const StudyRow& row : study.rows) {
    if (!worst || study.cost(row.without) > study.cost(worst->without)) worst = &row;
  }
  if (!worst || !(study.cost(worst->without) > 0)) {
    return std::string("is not ") + (study.higher_is_better ? "lower" : "higher") +
           " without any one head";
  }
  return "suffers most without " + study.attentions[worst->head.attention].name() + " head " +
         std::to_string(worst->head.head) + " (" + with_sign(worst->without.change, 2) + ")";
}

}  // namespace

Report to_report(const HeadStudy& study) {
  Report report;
  const std::string signature = study.signature.empty() ? "" : " (" + study.signature + ")";
  report.line(text("%s with all heads %.3f%s; * p < 0.01 by paired bootstrap of %lld %s\n\n",
                   study.metric.c_str(), study.whole, signature.c_str(),
                   static_cast<long long>(study.segments), study.segment_name.c_str()));
  report.fact("metric", study.metric);
  if (!study.signature.empty()) report.fact("signature", study.signature);
  report.fact("whole", study.whole);
  report.fact(study.segment_name, study.segments);
  const auto significant =
      std::count_if(study.rows.begin(), study.rows.end(),
                    [](const StudyRow& row) { return row.without.p < kSignificant; });
  report.lead = study.metric + ", " + fixed(study.whole, 2) + " with all heads, " +
                most_missed(study) + ", and masking one head changes it by more than chance for " +
                std::to_string(significant) + " of " + std::to_string(study.rows.size()) +
                " heads; in the maps a row is a layer and a column a head.";
  report.section("Maps");
  if (!study.signature.empty()) report.note(study.metric + ": " + study.signature + ".");
  report.note("Chance: p < " + fixed(kSignificant, 2) + " by paired bootstrap of " +
              std::to_string(study.segments) + " " + study.segment_name +
              ". The stronger the blue, the larger the number; orange is below 0.");
  constexpr AttentionKind encoder = AttentionKind::encoder, decoder = AttentionKind::decoder,
                          cross = AttentionKind::cross;
  add_maps(report, study,
           {.title = study.metric + (study.higher_is_better ? " lost" : " added") + " without it",
            .values = {},
            .unit = study.metric},
           [&](const StudyRow& row) {
             return study.higher_is_better ? -row.without.change : row.without.change;
           });
  add_maps(report, study,
           {.title = "importance", .values = {}, .unit = "nats a sentence", .decimals = 3},
           [](const StudyRow& row) { return row.importance.mean; });
  add_maps(report, study, {.title = "largest probability, mean", .values = {}, .most = 1},
           [](const StudyRow& row) { return row.scores.confidence; });
  add_maps(report, study,
           {.title = "looks one word back", .values = {}, .most = 1, .kinds = {encoder, decoder}},
           [](const StudyRow& row) { return row.scores.previous; });
  add_maps(report, study,
           {.title = "looks one word on", .values = {}, .most = 1, .kinds = {encoder}},
           [](const StudyRow& row) { return row.scores.next; });
  add_maps(report, study,
           {.title = "finds the aligned word", .values = {}, .most = 1, .kinds = {cross}},
           [](const StudyRow& row) { return row.scores.alignment; });
  report.section("Heads");
  report.note("Click or tap a heading to sort.");
  Table table = table_of(study);
  table.folded = "All numbers of each head, a row a head";
  report.table(std::move(table));
  report.page_file();
  return report;
}

}  // namespace kette
