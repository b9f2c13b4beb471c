#include "decode/minimum_risk.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>

#include "data/files/utf8.h"
#include "data/files/visible_text.h"
#include "data/metrics/metrics.h"
#include "tensor/error.h"

namespace kette {

std::vector<double> expected_utilities(const std::vector<std::string>& texts,
                                       const std::vector<double>& weights,
                                       const std::string& metric) {
  KETTE_CHECK(weights.size() == texts.size(),
              "minimum risk: expected as many weights as texts, given ", weights.size(), " and ",
              texts.size());
  std::vector<std::string> readable;  // half a character of bytes is none to count
  for (const std::string& text : texts) {
    readable.push_back(first_invalid_utf8(text) == std::string::npos ? text : visible(text));
  }
  ScoreLines different;
  std::vector<double> shares;  // of the different texts
  std::vector<std::size_t> places;
  std::unordered_map<std::string_view, std::size_t> known;
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const auto [found, is_new] = known.try_emplace(readable[i], different.size());
    if (is_new) {
      different.emplace_back(readable[i]);
      shares.push_back(0);
    }
    places.push_back(found->second);
    shares[found->second] += weights[i] / total;
  }
  const std::vector<double> scores = metric_config(metric)->pairwise(different);
  const double sign = lower_is_better(metric) ? -1 : 1;
  std::vector<double> expected;
  for (const std::size_t place : places) {
    const auto row = scores.begin() + static_cast<std::ptrdiff_t>(place * different.size());
    expected.push_back(sign * std::inner_product(shares.begin(), shares.end(), row, 0.0));
  }
  return expected;
}

std::vector<double> posterior_weights(const std::vector<double>& log_probabilities) {
  const double peak = *std::max_element(log_probabilities.begin(), log_probabilities.end());
  std::vector<double> weights;
  for (const double log_probability : log_probabilities) {
    weights.push_back(std::exp(log_probability - peak));
  }
  return weights;
}

}  // namespace kette
