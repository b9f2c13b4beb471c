#include "decode/sampling.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "tensor/error.h"
#include "tensor/random.h"

namespace kette {
namespace {

/// A number in [0, 1) that belongs to a place in a text.
double draw(const SamplingOptions& options, std::int64_t text, std::int64_t position) {
  const auto words = philox({options.seed, static_cast<std::uint64_t>(text)},
                            static_cast<std::uint64_t>(position));
  const std::uint64_t high = words[0], low = words[1];
  return static_cast<double>((high << 21) ^ (low >> 11)) * 0x1p-53;
}

/// The tokens that may be drawn, and their weights: exp((logit - largest) / temperature).
class Candidates {
 public:
  Candidates(std::span<const float> logits, double temperature)
      : logits_(logits), tokens_(logits.size()), weights_(logits.size()) {
    const double peak = *std::max_element(logits.begin(), logits.end());
    for (std::size_t i = 0; i < logits.size(); ++i) {
      tokens_[i] = static_cast<std::int32_t>(i);
      weights_[i] = std::exp((static_cast<double>(logits[i]) - peak) / temperature);
      total_ += weights_[i];
    }
  }

  void keep_top_k(std::int64_t count) {
    if (count <= 0 || static_cast<std::size_t>(count) >= tokens_.size()) return;
    order(static_cast<std::size_t>(count));
    keep(static_cast<std::size_t>(count));
  }

  /// Orders more and more of the likeliest until they reach the mass; most often few do.
  void keep_top_p(double mass) {
    if (mass >= 1) return;
    double reached = 0;
    for (std::size_t begin = 0, end = std::min<std::size_t>(64, tokens_.size());;
         begin = end, end = std::min(4 * end, tokens_.size())) {
      order(end);
      for (std::size_t i = begin; i < end; ++i) {
        reached += weight(i);
        if (reached >= mass * total_) return keep(i + 1);
      }
      if (end == tokens_.size()) return;
    }
  }

  std::int32_t at(double quantile) const {
    double left = quantile * total_;
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      left -= weight(i);
      if (left < 0) return tokens_[i];
    }
    // What rounding left over goes to the likeliest.
    return *std::max_element(tokens_.begin(), tokens_.end(),
                             [&](auto a, auto b) { return comes_before(b, a); });
  }

 private:
  double weight(std::size_t i) const { return weights_[static_cast<std::size_t>(tokens_[i])]; }
  bool comes_before(std::int32_t a, std::int32_t b) const {
    const float first = logits_[static_cast<std::size_t>(a)],
                second = logits_[static_cast<std::size_t>(b)];
    return first != second ? first > second : a < b;
  }
  /// Puts the likeliest first, in order, as many as asked for.
  void order(std::size_t count) {
    std::partial_sort(tokens_.begin(), tokens_.begin() + static_cast<std::ptrdiff_t>(count),
                      tokens_.end(), [&](auto a, auto b) { return comes_before(a, b); });
  }
  void keep(std::size_t count) {
    tokens_.resize(count);
    total_ = 0;
    for (std::size_t i = 0; i < count; ++i) total_ += weight(i);
  }

  std::span<const float> logits_;
  std::vector<std::int32_t> tokens_;
  std::vector<double> weights_;  // by token
  double total_ = 0;
};

}  // namespace

void SamplingOptions::check() const {
  KETTE_CHECK(std::isfinite(temperature) && temperature >= 0,
              "temperature: expected a number of at least 0, given ", temperature);
  KETTE_CHECK(top_k >= 0, "top_k: expected 0 (all) or more tokens, given ", top_k);
  KETTE_CHECK(top_p > 0 && top_p <= 1, "top_p: expected a probability above 0 and up to 1, given ",
              top_p);
}

std::int32_t sample(std::span<const float> logits, const SamplingOptions& options,
                    std::int64_t text, std::int64_t position) {
  KETTE_CHECK(!logits.empty(), "sample: expected at least one logit, given none");
  for (const float logit : logits) {
    KETTE_CHECK(std::isfinite(logit), "sample: expected finite logits, given ", logit,
                "; the model may be damaged");
  }
  if (options.temperature == 0) {
    return static_cast<std::int32_t>(std::max_element(logits.begin(), logits.end()) -
                                     logits.begin());
  }
  Candidates candidates(logits, options.temperature);
  candidates.keep_top_k(options.top_k);
  candidates.keep_top_p(options.top_p);
  return candidates.at(draw(options, text, position));
}

}  // namespace kette
