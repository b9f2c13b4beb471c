// Which keys a query attends to. A model sets this once for each of its attentions, and every
// attention kernel reads it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "tensor/dtype.h"
#include "tensor/error.h"

namespace kette {

enum class Mask : std::uint8_t { none, causal };

/// How a query weighs the keys that it sees. softmax: by exp(q k / sqrt(head width)), Vaswani et
/// al. 2017. linear: by phi(q) phi(k), Katharopoulos et al. 2020 (tensor/linear_attention.h).
enum class AttentionWeights : std::uint8_t { softmax, linear };

/// Which keys of its sequence a query sees, and which key head it reads. With Mask::causal the last
/// query sees the last key: query t is at position t + keys - queries.
struct AttentionPattern {
  Mask mask = Mask::none;
  AttentionWeights weights = AttentionWeights::softmax;
  /// This many consecutive query heads share one head of keys and values (Ainslie et al. 2023,
  /// "GQA"; if all share one: Shazeer 2019, "Fast Transformer Decoding").
  std::int64_t group = 1;
  /// With a causal mask: a query sees at most this many keys, the last of them its own (Beltagy et
  /// al. 2020, "Longformer"; Jiang et al. 2023, "Mistral 7B", section 2). 0: no limit.
  std::int64_t window = 0;
  /// With a causal mask: score -= slope(head) * distance of query and key (Press et al. 2022,
  /// "Train Short, Test Long", section 3).
  bool alibi = false;

  AttentionPattern() = default;
  AttentionPattern(Mask given) : mask(given) {}  // NOLINT(google-explicit-constructor)

  // Copies of this pattern with one setting changed.
  AttentionPattern in_groups_of(std::int64_t heads) const {
    AttentionPattern pattern = *this;
    pattern.group = heads;
    return pattern;
  }
  AttentionPattern within(std::int64_t keys) const {
    AttentionPattern pattern = *this;
    pattern.window = keys;
    return pattern;
  }
  AttentionPattern with_slopes() const {
    AttentionPattern pattern = *this;
    pattern.alibi = true;
    return pattern;
  }
  AttentionPattern with_linear_weights() const {
    AttentionPattern pattern = *this;
    pattern.weights = AttentionWeights::linear;
    return pattern;
  }

  bool is_linear() const { return weights == AttentionWeights::linear; }

  /// 2^(-8 i / heads) for head i - 1. If `heads` is not a power of 2, the first m heads take the
  /// slopes for m heads, the next lower power of 2, and the others take every other slope for 2 m
  /// heads (the paper's code).
  KETTE_HOST_DEVICE double slope(std::int64_t head, std::int64_t heads) const {
    if (!alibi) return 0;
    std::int64_t power = 1;
    while (2 * power <= heads) power *= 2;
    const std::int64_t eighths = head < power
                                     ? 8 * (head + 1)
                                     : 4 * (2 * (head - power) + 1);  // of the exponent times power
    return std::exp2(-static_cast<double>(eighths) / static_cast<double>(power));
  }
  /// The first key that the query at `position` sees.
  KETTE_HOST_DEVICE std::int64_t first_visible(std::int64_t position) const {
    return window > 0 && position >= window ? position - window + 1 : 0;
  }

  /// The number of (query, visible key) pairs of a sequence.
  double pairs(std::int64_t queries, std::int64_t keys) const {
    const auto sum_to = [](std::int64_t n) {
      return static_cast<double>(n) * static_cast<double>(n + 1) / 2;
    };
    if (mask == Mask::none) return static_cast<double>(queries) * static_cast<double>(keys);
    const double all = sum_to(keys) - sum_to(std::max<std::int64_t>(keys - queries, 0));
    if (window == 0 || window >= keys) return all;
    // A query at position p >= window does not see the p - window + 1 oldest.
    return all -
           (sum_to(keys - window) - sum_to(std::max<std::int64_t>(keys - queries - window, 0)));
  }

  /// Throws an Error unless the settings fit together and `heads` is a multiple of the group.
  void check(const char* op, std::int64_t heads) const {
    KETTE_CHECK(group >= 1 && heads % group == 0, op,
                ": expected heads in groups of equal size, given ", heads, " in groups of ", group);
    KETTE_CHECK(window >= 0, op, ": expected a window of 0 or more keys, given ", window);
    KETTE_CHECK(mask == Mask::causal || (window == 0 && !alibi), op,
                ": expected a causal mask beside a window or ALiBi's slopes, given none");
    KETTE_CHECK(!is_linear() || (window == 0 && !alibi), op,
                ": expected neither a window nor ALiBi's slopes with the weights of linear "
                "attention, given one");
  }
};

}  // namespace kette
