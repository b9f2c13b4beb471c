#include "decode/alignment.h"

#include <algorithm>
#include <cmath>

#include "tensor/parallel_for.h"

namespace kette {
namespace {

/// W_O as [inner, width]: row i is what input i adds to the output.
std::vector<double> rows_of_map(const Linear& output, std::int64_t inner) {
  if (!output.prepacked) {
    const Tensor weight = output.merged_weight();  // [width, inner], y = x W^T
    const std::vector<float> w = weight.values<float>();
    std::vector<double> rows(w.size());
    for (std::int64_t out = 0; out < weight.rows(); ++out) {
      for (std::int64_t i = 0; i < inner; ++i) {
        rows[i * weight.rows() + out] = double(w[out * inner + i]);
      }
    }
    return rows;
  }
  // Prepacked weights are read by products: with the unit vectors, and with 0 for the bias.
  std::vector<float> units(static_cast<std::size_t>((inner + 1) * inner));
  for (std::int64_t i = 0; i < inner; ++i) units[i * inner + i] = 1;
  const Tensor given =
      Tensor::from(units, {inner + 1, inner}).to(output.prepacked->panels.device());
  const std::vector<float> made = output(given).value().values<float>();
  const auto width = std::ssize(made) / (inner + 1);
  std::vector<double> rows(static_cast<std::size_t>(inner * width));
  for (std::int64_t i = 0; i < inner * width; ++i) {
    rows[i] = double(made[i]) - double(made[inner * width + i % width]);
  }
  return rows;
}

}  // namespace

HeadOutputs::HeadOutputs(const Linear& output, std::int64_t heads, std::int64_t head_width)
    : heads_(heads),
      head_width_(head_width),
      products_(static_cast<std::size_t>(heads * head_width * head_width)) {
  const std::int64_t inner = heads * head_width;
  const std::vector<double> rows = rows_of_map(output, inner);
  const auto width = std::ssize(rows) / inner;
  parallel_for(inner, 1, [&](std::int64_t i) {
    const std::int64_t head = i / head_width;
    for (std::int64_t j = 0; j < head_width; ++j) {
      const double *a = rows.data() + i * width, *b = rows.data() + (head * head_width + j) * width;
      double sum = 0;
      for (std::int64_t k = 0; k < width; ++k) sum += a[k] * b[k];
      products_[i * head_width + j] = sum;
    }
  });
}

std::vector<float> HeadOutputs::lengths(const Tensor& projected, std::int64_t group) const {
  const std::int64_t keys = projected.rows(), columns = projected.width(),
                     key_width = heads_ * head_width_ / group;
  const std::vector<float> values = projected.values<float>();
  std::vector<float> lengths(static_cast<std::size_t>(heads_ * keys));
  parallel_for(keys, 1, [&](std::int64_t key) {
    const float* all = values.data() + (key + 1) * columns - key_width;  // the last
    for (std::int64_t head = 0; head < heads_; ++head) {
      const float* v = all + head / group * head_width_;
      const double* g = products_.data() + head * head_width_ * head_width_;
      double squares = 0;
      for (std::int64_t i = 0; i < head_width_; ++i) {
        double sum = 0;
        for (std::int64_t j = 0; j < head_width_; ++j) sum += g[i * head_width_ + j] * double(v[j]);
        squares += double(v[i]) * sum;
      }
      lengths[head * keys + key] = static_cast<float>(std::sqrt(std::max(0.0, squares)));
    }
  });
  return lengths;
}

SoftAlignment soft_alignment(const AttentionMaps& maps, bool by_norms) {
  SoftAlignment soft{maps.queries, maps.keys, {}};
  soft.values.resize(static_cast<std::size_t>(maps.queries * maps.keys));
  const std::vector<float>& values = by_norms ? maps.norms : maps.probabilities;
  for (std::int64_t head = 0; head < maps.heads; ++head) {
    const std::span<const float> of_head = maps.of(values, head);
    for (std::size_t i = 0; i < of_head.size(); ++i) soft.values[i] += double(of_head[i]);
  }
  return soft;
}

std::vector<std::int64_t> alignment(const SoftAlignment& soft, bool shifted) {
  std::vector<std::int64_t> aligned;
  for (std::int64_t target = 0; target + 1 < soft.queries; ++target) {
    const std::int64_t query = target + (shifted ? 1 : 0);
    double most = 0;
    std::int64_t best = -1;
    for (std::int64_t key = 0; key + 1 < soft.keys; ++key) {
      const double weight = soft.values[query * soft.keys + key];
      if (weight > most) {
        most = weight;
        best = key;
      }
    }
    aligned.push_back(best);
  }
  return aligned;
}

std::vector<std::int64_t> alignment(const AttentionMaps& maps, const AlignmentOptions& options) {
  return alignment(soft_alignment(maps, options.by_norms), options.shifted);
}

std::vector<LayerAlignment> alignments(const std::vector<SoftAlignment>& layers) {
  std::vector<LayerAlignment> all;
  for (std::size_t layer = 0; layer < layers.size(); ++layer) {
    for (const bool shifted : {false, true}) {
      all.push_back({static_cast<std::int64_t>(layer), shifted, alignment(layers[layer], shifted)});
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
