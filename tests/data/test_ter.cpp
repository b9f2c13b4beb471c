#include <doctest/doctest.h>

#include <cmath>

#include "data/metrics/edit_rate.h"
#include "data/metrics/ter.h"
#include "tests/data/bleu_golden.h"
#include "tests/data/tiny_text.h"

namespace kette {
namespace {

using namespace testing;

constexpr double kTerTolerance = 1e-9;

TEST_CASE("TER of a corpus and of its sentences equals sacreBLEU's") {
  REQUIRE(bleu_golden().at("ter").size() > 200);
  for (const auto& row : bleu_golden().at("ter")) {
    CAPTURE(row.dump());
    const GoldenCorpus& corpus = golden_corpus(row.at("corpus").text());
    const TerOptions options{row.at("norm").get<bool>(), row.at("no_punct").get<bool>(),
                             row.at("asian").get<bool>(), row.at("case").get<bool>()};
    const CorpusScore ter = corpus_ter(corpus.hypotheses, corpus.references, options);
    CHECK(std::abs(ter.score - row.at("score").get<double>()) < kTerTolerance);
    CHECK(ter.format() == row.at("format"));
    CHECK(without_version(ter.signature) == without_version(row.at("signature").text()));
    for (std::size_t line = 0; line < corpus.hypotheses.size(); ++line) {
      CAPTURE(line);
      std::vector<ScoreLines> references;
      for (const std::string_view reference : corpus.references_of(line)) {
        references.push_back({reference});
      }
      const double score = corpus_ter({corpus.hypotheses[line]}, references, options).score;
      CHECK(std::abs(score - row.at("sentences")[line].get<double>()) < kTerTolerance);
    }
  }
}

TEST_CASE("a run that moves is one edit, however long and far") {
  CHECK(edits_with_moves(U"abcde", U"abcde") == 0);
  CHECK(edits_with_moves(U"deabc", U"abcde") == 1);
  CHECK(edits_with_moves(U"abxde", U"abcde") == 1);
  CHECK(edits_with_moves(U"", U"abc") == 3);
  CHECK(edits_with_moves(U"abc", U"") == 3);
  CHECK(edits_with_moves(U"", U"") == 0);
  // Two runs of more than ten words each move as two moves.
  CHECK(edits_with_moves(U"mnopqrstuvwxabcdefghijkl", U"abcdefghijklmnopqrstuvwx") == 2);
}

TEST_CASE("edits of long texts take memory for the beam alone") {
  const std::u32string text(100'000, U'a');
  CHECK(edits_with_moves(text, text) == 0);
}

TEST_CASE("a TER line names its signature and its interval") {
  const CorpusScore ter = corpus_ter({"the same", "line"}, {{"the same", "line"}}, {}, {20, 7});
  CHECK(ter.format() == "TER = 0.00 (μ = 0.00 ± 0.00)");
  CHECK(contains(ter.format(2, true),
                 "TER|nrefs:1|bs:20|seed:7|case:lc|tok:tercom|norm:no|punct:yes|asian:no|"));
  CHECK(contains(message_of([] { corpus_ter({"a"}, {{"a", "b"}}); }), "TER: expected 1 lines"));
}

}  // namespace
}  // namespace kette
