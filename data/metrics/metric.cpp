#include "data/metrics/metric.h"

#include "data/files/unicode.h"

namespace kette {

std::vector<double> MetricConfig::pairwise(const ScoreLines& texts) const {
  const Metric of_sentences = metric(true);
  std::vector<std::u32string> decoded;
  for (const std::string_view text : texts) decoded.push_back(decode_utf8(text));
  std::vector<double> scores;
  for (const std::u32string& hypothesis : decoded) {
    for (const std::u32string& reference : decoded) {
      scores.push_back(of_sentences.score(of_sentences.count(hypothesis, {reference})));
    }
  }
  return scores;
}

}  // namespace kette
