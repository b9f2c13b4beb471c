#include "inspect/heads/alignment.h"

#include <algorithm>

namespace kette {

std::vector<std::int64_t> alignment(const AttentionMaps& maps, const AlignmentOptions& options) {
  const std::vector<float>& values = options.by_norms ? maps.norms : maps.probabilities;
  std::vector<std::int64_t> aligned;
  for (std::int64_t target = 0; target + 1 < maps.queries; ++target) {
    const std::int64_t query = target + (options.shifted ? 1 : 0);
    double most = 0;
    std::int64_t best = -1;
    for (std::int64_t key = 0; key + 1 < maps.keys; ++key) {
      double sum = 0;
      for (std::int64_t head = 0; head < maps.heads; ++head) {
        sum += double(maps.of(values, head)[query * maps.keys + key]);
      }
      if (sum > most) {
        most = sum;
        best = key;
      }
    }
    aligned.push_back(best);
  }
  return aligned;
}

std::vector<LayerAlignment> alignments(const std::vector<AttentionPart>& attentions,
                                       const std::vector<AttentionMaps>& maps) {
  std::vector<LayerAlignment> all;
  for (std::size_t i = 0; i < attentions.size(); ++i) {
    if (attentions[i].kind != AttentionKind::cross) continue;
    for (const bool shifted : {false, true}) {
      all.push_back({attentions[i].layer, shifted, alignment(maps[i], {.shifted = shifted})});
    }
  }
  const auto agreement = [&](const LayerAlignment& one) {
    std::int64_t words = 0;
    for (const LayerAlignment& other : all) {
      if (other.shifted || other.layer == one.layer) continue;
      for (std::size_t i = 0; i < one.source.size(); ++i) words += one.source[i] == other.source[i];
    }
    return words;
  };
  std::vector<std::pair<std::int64_t, std::size_t>> order;
  for (std::size_t i = 0; i < all.size(); ++i) order.emplace_back(-agreement(all[i]), i);
  std::sort(order.begin(), order.end());
  std::vector<LayerAlignment> sorted;
  for (const auto& [agreed, i] : order) sorted.push_back(all[i]);
  return sorted;
}

}  // namespace kette
