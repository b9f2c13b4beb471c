#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

struct LossOfToken {
  double loss = 0;
  std::vector<double> gradient;
};

inline LossOfToken smoothed_loss(const std::vector<double>& logits, std::size_t target,
                                 double smoothing) {
  const double peak = *std::max_element(logits.begin(), logits.end());
  double total = 0;
  for (const double logit : logits) total += std::exp(logit - peak);
  LossOfToken result;
  for (std::size_t j = 0; j < logits.size(); ++j) {
    const double q =
        (j == target ? 1 - smoothing : 0) + smoothing / static_cast<double>(logits.size());
    const double log_p = logits[j] - peak - std::log(total);
    result.loss -= q * log_p;
    result.gradient.push_back(std::exp(log_p) - q);
  }
  return result;
}
