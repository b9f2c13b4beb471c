#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

using Row = std::vector<double>;

inline Row attend(const Row& query, const std::vector<Row>& keys, const std::vector<Row>& values) {
  Row weights;
  for (const Row& key : keys) {
    const double dot = std::inner_product(query.begin(), query.end(), key.begin(), 0.0);
    weights.push_back(dot / std::sqrt(static_cast<double>(query.size())));
  }
  const double peak = *std::max_element(weights.begin(), weights.end());
  double total = 0;
  for (double& weight : weights) total += weight = std::exp(weight - peak);
  Row output(query.size(), 0);
  for (std::size_t k = 0; k < values.size(); ++k) {
    for (std::size_t j = 0; j < output.size(); ++j) output[j] += weights[k] / total * values[k][j];
  }
  return output;
}
