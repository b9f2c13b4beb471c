#include <algorithm>
#include <cmath>

#include "data/files/json_text.h"
#include "inspect/heads/head_columns.h"
#include "inspect/heads/head_maps.h"
#include "inspect/page/html.h"
#include "inspect/page/labelled_map.h"
#include "inspect/passes/patching.h"
#include "inspect/passes/token_drawings.h"
#include "inspect/report/report.h"
#include "inspect/report/text.h"

namespace kette {
namespace {

Json json_of(const MeanOfPairs& mean) {
  return {{"mean", mean.mean}, {"half_width", mean.half_width}, {"values", mean.pairs}};
}

Cell cell_of(const MeanOfPairs& mean) {
  return Cell(nested(json_of(mean)))
      .as(mean.str())
      .draw(mean.str("\xC2\xB1"))
      .with_bar(std::clamp(mean.mean, 0.0, 1.0));
}

/// A row for each role of a stack's words, a column for each level.
Table places_of(const PatchStudy& study) {
  Table table{.key = "places",
              .columns = {{.key = "stack", .title = "stack", .width = -8},
                          {.key = "words", .title = "words", .width = -12}},
              .has_titles = false};
  std::size_t levels = 0;
  for (const PatchStudy::Place& place : study.places) {
    Json recovered = Json::array();
    table.rows.push_back({{place.side == Side::source ? "encoder" : "decoder", place.role}});
    for (const MeanOfPairs& mean : place.recovered) {
      recovered.push_back(json_of(mean));
      table.rows.back().cells.push_back(cell_of(mean));
    }
    levels = std::max(levels, place.recovered.size());
    auto& cells = table.rows.back().cells;
    cells.insert(cells.begin() + 2, nested(std::move(recovered)));
  }
  table.columns.push_back({.key = "recovered", .where = kJson});
  for (std::size_t level = 0; level < levels; ++level) {
    table.columns.push_back(
        {.title = level == 0 ? "embedding" : "after block " + std::to_string(level - 1),
         .digits = decimals(3),
         .width = 16});
  }
  return table;
}

void add_example(Report& report, const PatchStudy& study, const Tokenizer& tokenizer) {
  const PromptPair& pair = study.example;
  std::vector<std::string> levels, words;
  std::vector<double> values;
  for (const std::vector<double>& level : study.example_grid) {
    levels.push_back(levels.empty() ? "embedding"
                                    : "after block " + std::to_string(levels.size() - 1));
    values.insert(values.end(), level.begin(), level.end());
  }
  const auto piece = [&](std::int32_t id) { return shown_piece(tokenizer.source_piece(id)); };
  const auto next = [&](std::int32_t id) { return shown_piece(tokenizer.piece(id)); };
  for (std::size_t i = 0; i < study.example_grid.front().size(); ++i) {
    if (i >= pair.clean.size()) {
      words.emplace_back("</s>");
    } else {
      words.push_back(piece(pair.clean[i]) + (pair.differs(static_cast<std::int64_t>(i))
                                                  ? " / " + piece(pair.corrupted[i])
                                                  : ""));
    }
  }
  report.section("One pair");
  report.note(escaped(tokenizer.decode_source(pair.clean) + " / " +
                      tokenizer.decode_source(pair.corrupted) + ": " + next(pair.clean_answer) +
                      " or " + next(pair.corrupted_answer)) +
              ". Rows are levels of the residual stream, columns words.");
  report.drawing(
      [html = labelled_map({"Recovered", levels, words, values})](Page&) { return html; });
}

/// The head that brings most back by itself.
std::string best_head(const PatchStudy& study) {
  const PatchStudy::OfHead* best = nullptr;
  for (const PatchStudy::OfHead& one : study.heads) {
    if (best == nullptr || one.recovered.mean > best->recovered.mean) best = &one;
  }
  if (best == nullptr) return "no head";
  return study.attentions[best->head.attention].name() + " head " +
         std::to_string(best->head.head) + " (" + fixed(best->recovered.mean, 2) + ")";
}

void add_heads(Report& report, const PatchStudy& study) {
  using OfHead = PatchStudy::OfHead;
  std::vector<OfHead> best = study.heads;
  std::stable_sort(best.begin(), best.end(), [](const OfHead& a, const OfHead& b) {
    return a.recovered.mean > b.recovered.mean;
  });
  best.resize(std::min<std::size_t>(8, best.size()));
  const Column recovered{
      .key = "recovered", .title = "recovered", .digits = decimals(3), .width = 16};
  const auto cell = [](const OfHead& one) { return cell_of(one.recovered); };
  report.line("\nHeads that bring most back\n");
  Table few = tabulated(
      "", best,
      {{{.width = -10},
        [&](const OfHead& one) { return study.attentions[one.head.attention].name(); }},
       {{.width = -1}, [](const OfHead& one) { return "head " + std::to_string(one.head.head); }},
       {recovered, cell}});
  few.has_titles = false;
  report.table(std::move(few), kText);
  report.section("Heads");
  report.note("What one head gives, at all words, put into the pass over the other text.");
  HeadNumbers numbers{.title = "recovered", .values = {}, .most = 1};
  for (const OfHead& one : study.heads) numbers.values.push_back(one.recovered.mean);
  report.drawing([html = head_maps(study.attentions, numbers)](Page&) { return html; });
  auto columns = head_columns(study.attentions, &OfHead::head);
  columns.push_back({recovered, cell});
  Table table = tabulated("heads", study.heads, columns);
  table.folded = "With intervals, a row a head";
  report.table(std::move(table), kJson | kPage);
}

}  // namespace

Report to_report(const PatchStudy& study, const Tokenizer& tokenizer) {
  const std::string left_out = std::to_string(study.pairs) + " pairs; " +
                               std::to_string(study.wrong) +
                               " left out, because the model does not get both words right";
  Report report;
  report.line(
      left_out +
      "\n\nRecovered by one word, before the first block and after each, +- of a 95 % interval\n");
  report.lead =
      "The head that brings most of the difference back by itself is " + best_head(study) +
      "; 1 means that one text's word is as likely as in its own text, 0 that nothing changed.";
  report.fact("pairs", study.pairs);
  report.fact("left_out", study.wrong);
  report.section("Where the difference travels");
  report.note(
      "What one text made the model compute is put into its pass over the other, at one word and one "
      "level of the residual stream. Means over pairs with 95 % intervals. " +
      left_out + ".");
  report.table(places_of(study));
  add_example(report, study, tokenizer);
  add_heads(report, study);
  report.page_file();
  return report;
}

}  // namespace kette
