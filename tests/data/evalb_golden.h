// What the real evalb says (tests/fixtures/evalb_golden.json), and how Kette's counts are held to it.
#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "data/metrics/parse_score.h"
#include "tests/data/treebank.h"
#include "tests/json_view.h"
#include "tests/support.h"

namespace kette::testing {

/// evalb's block of numbers: sentences, errors, skipped, valid; recall, precision, F1, complete, mean
/// crossing, without, with few, tags.
using Block = std::vector<double>;

inline void check_block(const ParseCounts& counts, const Block& block) {
  REQUIRE(block.size() == 12);
  const double ours[] = {static_cast<double>(counts.sentences),
                         static_cast<double>(counts.errors),
                         static_cast<double>(counts.skipped),
                         static_cast<double>(counts.valid()),
                         counts.recall(),
                         counts.precision(),
                         counts.f1(),
                         counts.complete_match(),
                         counts.mean_crossing(),
                         counts.without_crossing(),
                         counts.with_few_crossing(),
                         counts.tagging_accuracy()};
  for (std::size_t i = 0; i < block.size(); ++i) {
    CAPTURE(i);
    CHECK(std::abs(ours[i] - block[i]) < 0.0051);  // it prints two decimals
  }
}

inline const JsonView& evalb_golden() {
  static const JsonView golden =
      JsonView::parse(read_file(source_folder() / "tests/fixtures/evalb_golden.json"));
  return golden;
}

/// length, status, matched, gold, test, crossing, words, correct tags
inline void check_counts(const ParseCounts& counts, const JsonView& row) {
  const int status = counts.errors != 0 ? 1 : counts.skipped != 0 ? 2 : 0;
  CHECK(status == row[1]);
  CHECK(counts.matched == row[2]);
  CHECK(counts.gold == row[3]);
  CHECK(counts.test == row[4]);
  CHECK(counts.crossing == row[5]);
  CHECK(counts.words == row[6]);
  CHECK(counts.correct_tags == row[7]);
}

/// Both sides of golden pairs, a tree a line.
struct GoldenPairs {
  Treebank gold, test;

  explicit GoldenPairs(const JsonView& pairs) {
    std::string gold_text, test_text;
    for (const auto& pair : pairs) {
      gold_text += pair.at("gold").text() + "\n";
      test_text += pair.at("test").text() + "\n";
    }
    gold = trees_in(gold_text);
    test = parse_trees_beside(gold, TextLines(test_text, "test"), "test");
  }
};

inline void check_counts(const Treebank& gold, const Treebank& test,
                         const ParseScoreOptions& options, const JsonView& rows) {
  REQUIRE(gold.trees.size() == rows.size());
  REQUIRE(test.trees.size() == rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    CAPTURE(rows[i].dump());
    check_counts(parse_counts(gold.trees[i], test.trees[i], options),
                 rows[i].is_array() ? rows[i] : rows[i].at("counts"));
  }
}

inline ParseScoreOptions with_parameters(const std::string& text) {
  ParseScoreOptions options;
  options.parameters = parse_bracket_parameters(TextLines(text, "prm"), "prm");
  return options;
}

/// What COLLINS.prm says, as a file.
inline const std::string kCollins =
    "# Collins\n\nDELETE_LABEL TOP\nDELETE_LABEL -NONE-\nDELETE_LABEL ,\nDELETE_LABEL :\n"
    "DELETE_LABEL ``\nDELETE_LABEL ''\nDELETE_LABEL .\nDELETE_LABEL_FOR_LENGTH -NONE-\n"
    "EQ_LABEL ADVP PRT\nCUTOFF_LEN 40\nLABELED 1 \nMAX_ERROR 1000\n";

}  // namespace kette::testing
