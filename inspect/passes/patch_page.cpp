#include <algorithm>
#include <cmath>
#include <optional>

#include "data/files/json_text.h"
#include "inspect/page/heat_map.h"
#include "inspect/page/html.h"
#include "inspect/page/page.h"
#include "inspect/passes/patching.h"
#include "inspect/passes/token_drawings.h"

namespace kette {
namespace {

double share(const MeanOfPairs& mean) { return std::clamp(mean.mean, 0.0, 1.0); }

/// A row for each role of a stack's words, a column for each level; nothing for a stack that there is not.
std::string places_of(const PatchStudy& study, Side side) {
  std::optional<HtmlTable> table;
  for (const PatchStudy::Place& place : study.places) {
    if (place.side != side) continue;
    std::vector<HtmlTable::Cell> cells = {place.role};
    std::vector<HtmlTable::Column> columns = {{"words"}};
    for (const MeanOfPairs& mean : place.recovered) {
      columns.push_back(
          {columns.size() == 1 ? "embedding" : "after block " + std::to_string(columns.size() - 2),
           true});
      cells.emplace_back(mean.str("\xC2\xB1"), share(mean));
    }
    if (!table) table.emplace(columns);
    table->row(cells);
  }
  if (!table) return "";
  return "<h3>" + std::string(side == Side::source ? "Encoder" : "Decoder") + "</h3>" +
         table->str();
}

}  // namespace

std::string patch_page(const PatchStudy& study, const Tokenizer& tokenizer,
                       const std::string& title, const std::string& lead) {
  Page page(title, lead);
  page.section(
      "Where the difference travels",
      note(
          "What one text made the model compute is put into its pass over the other, at one word and one "
          "level of the residual stream. 1: the one's word is as likely as in its own text; 0: nothing "
          "changed. Means over pairs with 95 % intervals. " +
          std::to_string(study.pairs) + " pairs; " + std::to_string(study.wrong) +
          " left out, as the model has not both words right.") +
          places_of(study, Side::source) + places_of(study, Side::target));
  std::vector<float> grid;
  for (const std::vector<double>& level : study.example_grid) {
    for (const double value : level)
      grid.push_back(static_cast<float>(std::clamp(value, 0.0, 1.0)));
  }
  Json levels = Json::array(), words = Json::array();
  for (std::size_t level = 0; level < study.example_grid.size(); ++level) {
    levels.push_back(level == 0 ? "embedding" : "after block " + std::to_string(level - 1));
  }
  const auto piece = [&](std::int32_t id) { return shown_piece(tokenizer.source_piece(id)); };
  const auto next = [&](std::int32_t id) { return shown_piece(tokenizer.piece(id)); };
  for (std::size_t i = 0; i < study.example_grid.front().size(); ++i) {
    if (i >= study.example.one.size()) {
      words.push_back("</s>");
    } else if (study.example.differs(static_cast<std::int64_t>(i))) {
      words.push_back(piece(study.example.one[i]) + " / " + piece(study.example.other[i]));
    } else {
      words.push_back(piece(study.example.one[i]));
    }
  }
  page.data("labels", {{"levels", levels}, {"words", words}});
  page.section(
      "One pair",
      note(escaped(tokenizer.decode_source(study.example.one) + " / " +
                   tokenizer.decode_source(study.example.other) + ": " +
                   next(study.example.word_of_one) + " or " + next(study.example.word_of_other)) +
           ". Rows are levels, the embedding on top; columns words. Click it for the numbers.") +
          "<div class=\"wide\">" +
          heat_map({"recovered, level by word", std::ssize(study.example_grid),
                    std::ssize(study.example_grid.front()), grid, 1, "levels", "words"}) +
          "</div>");
  HtmlTable heads({{"attention"}, {"layer", true}, {"head", true}, {"recovered", true}});
  for (const PatchStudy::OfHead& one : study.heads) {
    const AttentionPart& part = study.attentions[one.head.attention];
    heads.row({enum_name(part.kind),
               std::to_string(part.layer),
               std::to_string(one.head.head),
               {one.recovered.str("\xC2\xB1"), share(one.recovered)}});
  }
  page.section("Heads",
               note("What one head gives, at all words, put into the pass over the other text.") +
                   heads.str());
  return page.str();
}

}  // namespace kette
