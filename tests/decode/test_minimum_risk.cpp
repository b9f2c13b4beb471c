// Minimum Bayes risk: expected utilities beside sums over all pairs of sentence scores, one by one.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "data/metrics/bleu.h"
#include "data/metrics/chrf.h"
#include "data/metrics/metrics.h"
#include "data/metrics/score_statistics.h"
#include "decode/minimum_risk.h"
#include "decode/translator.h"
#include "tests/data/tiny_text.h"
#include "tests/decode/decode_models.h"
#include "tests/decode/letters_tokenizer.h"

using namespace kette;
using namespace kette::testing;

namespace {

const std::vector<std::string> kTexts = {
    "the cat sat on the mat .", "a cat sat on the mat .",   "the cat sat on the mat .",
    "the cats sat at home",     "on the mat sat the cat .", "",
    "größer , schöner – ½",     "größer und schöner",       "x"};

/// As much as it is worth: the more the better.
double sentence_score(const std::string& metric, const std::string& text,
                      const std::string& other) {
  const ScoreStatistics pair(metric_config(metric)->metric(true), {text}, {{other}});
  return lower_is_better(metric) ? -pair.score() : pair.score();
}

std::vector<double> pair_by_pair(const std::vector<std::string>& texts,
                                 const std::vector<double>& weights, const std::string& metric) {
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::vector<double> expected(texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    for (std::size_t j = 0; j < texts.size(); ++j) {
      expected[i] += weights[j] / total * sentence_score(metric, texts[i], texts[j]);
    }
  }
  return expected;
}

}  // namespace

TEST_CASE("the scores of all pairs equal those of each") {
  const ScoreLines lines(kTexts.begin(), kTexts.end());
  ChrfOptions plus_plus;
  plus_plus.word_order = 2;
  BleuOptions lower;
  lower.lowercase = true;
  lower.tokenizer = ScoreTokenizer::intl;
  const std::vector<double> bleu = pairwise_bleu(lines), lowered = pairwise_bleu(lines, lower),
                            chrf = pairwise_chrf(lines), words = pairwise_chrf(lines, plus_plus);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    for (std::size_t j = 0; j < lines.size(); ++j) {
      const std::size_t at = i * lines.size() + j;
      CAPTURE(at);
      CHECK(bleu[at] == sentence_bleu(lines[i], {lines[j]}).score);
      CHECK(lowered[at] == sentence_bleu(lines[i], {lines[j]}, lower).score);
      CHECK(chrf[at] == sentence_chrf(lines[i], {lines[j]}).score);
      CHECK(words[at] == sentence_chrf(lines[i], {lines[j]}, plus_plus).score);
    }
  }
}

TEST_CASE(
    "the expected utility is the weighted sum over all candidates, equal ones counted twice") {
  const std::vector<double> weights = {3, 1, 2, 0.5, 1, 1, 0, 1, 2};
  for (const std::string& metric : metric_names()) {
    CAPTURE(metric);
    const std::vector<double> fast = expected_utilities(kTexts, weights, metric),
                              slow = pair_by_pair(kTexts, weights, metric);
    for (std::size_t i = 0; i < kTexts.size(); ++i) {
      CHECK(fast[i] == doctest::Approx(slow[i]).epsilon(1e-12));
    }
  }
  CHECK(expected_utilities({"a", "\xC3"}, {1, 1}, "chrf")[0] == doctest::Approx(50));
  CHECK(posterior_weights({std::log(0.2), std::log(0.05)})[1] == doctest::Approx(0.25));
  CHECK(posterior_weights({-4000, -4000}) == std::vector<double>{1, 1});
  CHECK(contains(message_of([] {
                   expected_utilities({"a"}, {1, 2}, "chrf");
                 }),
                 "as many weights as texts"));
}

TEST_CASE("a translation of minimum risk is the candidate with the highest expected utility") {
  const OneThread quick;
  TransformerConfig config = small_config();
  config.vocabulary = 60;
  const auto model = random_model(config);
  const Translator translator(*model, letters_tokenizer());
  const std::vector<SourceSentence> lines = source_sentences({"abcd efgh", "", "ihgf aabb ccdd"});
  for (const bool sample : {false, true}) {
    CAPTURE(sample);
    DecodingOptions options;
    options.search.beam = options.search.n_best = 6;
    options.search.extra_length = 4;
    if (sample) options.sampling.emplace();
    const std::vector<Translation> all = translator.translate(lines, options);
    for (const std::string& metric : metric_names()) {
      CAPTURE(metric);
      options.minimum_risk = metric;
      const std::vector<Translation> chosen = translator.translate(lines, options);
      for (std::size_t line = 0; line < lines.size(); ++line) {
        std::vector<std::string> texts;
        std::vector<double> weights;
        for (const Translation::Alternative& alternative : all[line].n_best) {
          texts.push_back(alternative.text);
          weights.push_back(sample ? 1 : std::exp(alternative.hypothesis.log_probability));
        }
        const std::vector<double> expected = pair_by_pair(texts, weights, metric);
        const double best = *std::max_element(expected.begin(), expected.end());
        CHECK(chosen[line].text == chosen[line].n_best.front().text);
        CHECK(chosen[line].n_best.front().utility == doctest::Approx(best).epsilon(1e-9));
        CHECK(chosen[line].n_best.size() == texts.size());
      }
      options.minimum_risk.reset();
    }
  }
  DecodingOptions one;
  one.minimum_risk = "chrf";
  CHECK(contains(
      message_of([&] { translator.translate(lines, one); }),
      "expected from 2 to 4096 translations of each line to choose from (n-best), given 1"));
}
