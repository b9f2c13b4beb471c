#include <doctest/doctest.h>

#include <cmath>

#include "data/metrics/bleu.h"
#include "tensor/error.h"
#include "tests/data/bleu_golden.h"
#include "tests/data/tiny_text.h"

namespace kette {
namespace {

using namespace testing;

constexpr double kTolerance = 1e-9;

BleuOptions options_of(const JsonView& row) {
  BleuOptions options;
  options.tokenizer = enum_named<ScoreTokenizer>(row.at("tok").text());
  options.lowercase = row.at("lc").get<bool>();
  options.smoothing = enum_named<BleuSmoothing>(row.at("smooth").text());
  if (!row.at("value").is_null()) options.smoothing_value = row.at("value").get<double>();
  options.effective_order = row.at("eff").get<bool>();
  return options;
}

TEST_CASE("BLEU of a corpus equals sacreBLEU's") {
  REQUIRE(bleu_golden().at("bleu").size() > 300);
  for (const auto& row : bleu_golden().at("bleu")) {
    CAPTURE(row.dump());
    const GoldenCorpus& corpus = golden_corpus(row.at("corpus").text());
    const BleuScore bleu = corpus_bleu(corpus.hypotheses, corpus.references, options_of(row));
    CHECK(std::abs(bleu.score - row.at("score").get<double>()) < kTolerance);
    REQUIRE(bleu.precisions.size() == 4);
    for (std::size_t n = 0; n < 4; ++n) {
      CHECK(std::abs(bleu.precisions[n] - row.at("precisions")[n].get<double>()) < kTolerance);
    }
    CHECK(std::abs(bleu.brevity_penalty - row.at("bp").get<double>()) < kTolerance);
    CHECK(bleu.hyp_len == row.at("lengths")[0]);
    CHECK(bleu.ref_len == row.at("lengths")[1]);
    if (row.contains("counts")) {
      CHECK(JsonView(bleu.counts) == row.at("counts"));
      CHECK(JsonView(bleu.totals) == row.at("totals"));
    }
    if (row.contains("format")) {
      CHECK(bleu.format() == row.at("format"));
      CHECK(without_version(bleu.signature) == without_version(row.at("signature").text()));
    }
  }
}

TEST_CASE("BLEU of a sentence equals sacreBLEU's") {
  for (const auto& row : bleu_golden().at("sentences")) {
    const GoldenCorpus& corpus = golden_corpus(row.at("corpus").text());
    const auto line = row.at("line").get<std::size_t>();
    for (const char* tokenizer : {"13a", "intl"}) {
      for (const char* smoothing : {"exp", "floor"}) {
        const std::string setting = std::string(tokenizer) + " " + smoothing;
        CAPTURE(row.dump());
        CAPTURE(setting);
        BleuOptions options;
        options.tokenizer = enum_named<ScoreTokenizer>(tokenizer);
        options.smoothing = enum_named<BleuSmoothing>(smoothing);
        const BleuScore bleu =
            sentence_bleu(corpus.hypotheses[line], corpus.references_of(line), options);
        CHECK(std::abs(bleu.score - row.at(setting).get<double>()) < kTolerance);
      }
    }
  }
}

TEST_CASE("a BLEU line and its signature say everything") {
  const BleuScore bleu = corpus_bleu({"the cat sat on the mat"}, {{"the cat sat on the mat"}});
  CHECK(bleu.format() ==
        "BLEU = 100.00 100.0/100.0/100.0/100.0 (BP = 1.000 ratio = 1.000 hyp_len = 6 ref_len = 6)");
  CHECK(contains(bleu.signature, "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:kette-"));
  CHECK(contains(bleu.format(1, true), "BLEU|nrefs:1|case:mixed|"));
  CHECK(contains(bleu.format(1, true), " = 100.0 100.0/"));
}

TEST_CASE("the bootstrap brackets the score and repeats itself") {
  std::vector<std::string> hypotheses, reference;
  for (int i = 0; i < 60; ++i) {
    const std::string number = std::to_string(i % 7);
    hypotheses.push_back("we saw number " + number + " in the old town today");
    reference.push_back("we saw number " + std::to_string(i % 5) + " in the old town");
  }
  const ScoreLines hypothesis_lines(hypotheses.begin(), hypotheses.end());
  const std::vector<ScoreLines> references = {ScoreLines(reference.begin(), reference.end())};
  const BleuScore bleu = corpus_bleu(hypothesis_lines, references, {}, {300, 1});
  REQUIRE(bleu.interval.has_value());
  CHECK(bleu.interval->half_width > 0.5);
  CHECK(bleu.interval->half_width < 20.0);
  CHECK(std::abs(bleu.interval->mean - bleu.score) < bleu.interval->half_width);
  CHECK(contains(bleu.signature, "nrefs:1|bs:300|seed:1|case:mixed|"));
  CHECK(contains(bleu.format(), " (μ = "));

  const BleuScore again = corpus_bleu(hypothesis_lines, references, {}, {300, 1});
  CHECK(again.interval->mean == bleu.interval->mean);
  const BleuScore other_seed = corpus_bleu(hypothesis_lines, references, {}, {300, 2});
  CHECK(other_seed.interval->mean != bleu.interval->mean);
  const BleuScore equal_lines =
      corpus_bleu({"a b c d", "a b c d"}, {{"a b c e", "a b c e"}}, {}, {50, 1});
  CHECK(equal_lines.interval->half_width == doctest::Approx(0.0));
  CHECK(equal_lines.interval->mean == doctest::Approx(equal_lines.score));
}

TEST_CASE("the bootstrap's interval holds 95 of 100 scores") {
  // A share of 1,600 draws, half of which count, has a deviation of 0.5 / 40.
  ScoreLines lines;
  for (int i = 0; i < 1600; ++i) lines.push_back(i % 2 == 0 ? "0" : "1");
  const Metric share{"share", "",
                     [](const std::u32string& line, const std::vector<std::u32string>&) {
                       return ScoreCounts{line == U"1"};
                     },
                     [](const ScoreCounts& sum) { return static_cast<double>(sum[0]) / 1600; }};
  const ScoreInterval interval =
      interval_of(ScoreStatistics(share, lines, {lines}).resampled({1000, 1}));
  CHECK(interval.mean == doctest::Approx(0.5).epsilon(0.01));
  CHECK(interval.half_width == doctest::Approx(1.96 * 0.5 / 40).epsilon(0.05).scale(0));
}

TEST_CASE("what cannot be scored is told with its line") {
  CHECK(contains(message_of([] {
                   corpus_bleu({"a", "b"}, {{"a"}});
                 }),
                 "expected 2 lines in the reference, as many as there are hypotheses, given 1"));
  CHECK(contains(message_of([] { corpus_bleu({"a"}, {{"a"}, {"a", "b"}}); }), "reference 2"));
  CHECK(contains(message_of([] { corpus_bleu({}, {{}}); }), "hypothesis line, given none"));
  CHECK(contains(message_of([] { corpus_bleu({"a"}, {}); }), "at least one reference"));
  CHECK(contains(message_of([] {
                   corpus_bleu({"a", "b\xFF"}, {{"a", "b"}});
                 }),
                 "hypothesis line 2 with an invalid byte at place 2"));
  CHECK(contains(message_of([] {
                   corpus_bleu({"a", "b"}, {{"\xED\xA0\x80", "b"}});
                 }),
                 "reference line 1"));
  CHECK(
      contains(message_of([] { enum_named<ScoreTokenizer>("13b"); }), "13a, none, char, intl, zh"));
  CHECK(message_of([] {
          corpus_bleu({"a", "b"}, {{"a", kNoReference}, {"b", kNoReference}});
        }) == "BLEU: expected a reference of line 2, given none (each of the 2 lacks it)");
  CHECK(contains(message_of([] { enum_named<BleuSmoothing>("add"); }), "none, floor, add-k, exp"));
  BleuOptions options;
  options.smoothing_value = -1.0;
  CHECK_THROWS_AS(corpus_bleu({"a"}, {{"a"}}, options), Error);
}

}  // namespace
}  // namespace kette
