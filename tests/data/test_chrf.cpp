#include <doctest/doctest.h>

#include <cmath>

#include "data/metrics/chrf.h"
#include "tensor/error.h"
#include "tests/data/bleu_golden.h"
#include "tests/data/tiny_text.h"

namespace kette {
namespace {

using namespace testing;

constexpr double kChrfTolerance = 1e-9;

TEST_CASE("chrF and chrF++ of a corpus equal sacreBLEU's") {
  REQUIRE(bleu_golden().at("chrf").size() > 100);
  for (const auto& row : bleu_golden().at("chrf")) {
    CAPTURE(row.dump());
    const GoldenCorpus& corpus = golden_corpus(row.at("corpus").text());
    ChrfOptions options;
    options.char_order = row.at("nc").get<std::int64_t>();
    options.word_order = row.at("nw").get<std::int64_t>();
    options.beta = row.at("beta").get<std::int64_t>();
    options.lowercase = row.at("lc").get<bool>();
    options.whitespace = row.at("space").get<bool>();
    options.eps_smoothing = row.at("eps").get<bool>();
    const CorpusScore chrf = corpus_chrf(corpus.hypotheses, corpus.references, options);
    CHECK(std::abs(chrf.score - row.at("score").get<double>()) < kChrfTolerance);
    CHECK(chrf.format() == row.at("format"));
    CHECK(without_version(chrf.signature) == without_version(row.at("signature").text()));
  }
}

TEST_CASE("chrF and chrF++ of a sentence equal sacreBLEU's") {
  ChrfOptions plus_plus;
  plus_plus.word_order = 2;
  for (const auto& row : bleu_golden().at("sentences")) {
    CAPTURE(row.dump());
    const GoldenCorpus& corpus = golden_corpus(row.at("corpus").text());
    const auto line = row.at("line").get<std::size_t>();
    const std::string_view hypothesis = corpus.hypotheses[line];
    const ScoreLines references = corpus.references_of(line);
    CHECK(std::abs(sentence_chrf(hypothesis, references).score - row.at("chrF2").get<double>()) <
          kChrfTolerance);
    CHECK(std::abs(sentence_chrf(hypothesis, references, plus_plus).score -
                   row.at("chrF2++").get<double>()) < kChrfTolerance);
  }
}

TEST_CASE("a chrF line names its variant, its signature and its interval") {
  ChrfOptions options;
  options.word_order = 2;
  const CorpusScore chrf =
      corpus_chrf({"the same", "line"}, {{"the same", "line"}}, options, {20, 7});
  CHECK(chrf.format() == "chrF2++ = 100.00 (μ = 100.00 ± 0.00)");
  CHECK(
      contains(chrf.format(2, true), "chrF2++|nrefs:1|bs:20|seed:7|case:mixed|eff:yes|nc:6|nw:2|"));
}

TEST_CASE("chrF refuses what it cannot score") {
  CHECK(contains(message_of([] { corpus_chrf({"a"}, {{"a", "b"}}); }), "chrF2: expected 1 lines"));
  CHECK(contains(message_of([] { sentence_chrf("\xC3", {"a"}); }), "hypothesis line 1"));
  ChrfOptions options;
  options.char_order = 0;
  CHECK_THROWS_AS(corpus_chrf({"a"}, {{"a"}}, options), Error);
}

}  // namespace
}  // namespace kette
