#include "inspect/heads/attention_maps.h"

#include <cmath>

namespace kette {
namespace {

/// |v_j W_O| of each head and key: [heads, keys].
std::vector<float> value_norms(const AttentionPart& attention, const Tensor& projected) {
  const Tensor weight =
      attention.output->merged_weight();  // [width, heads * head width], y = x W^T
  const std::int64_t head_width = attention.head_width, inner = attention.total_width(),
                     keys = projected.rows(), columns = projected.width();
  const std::vector<float> w = weight.values<float>(), values = projected.values<float>();
  std::vector<float> norms(static_cast<std::size_t>(attention.heads * keys));
#pragma omp parallel for
  for (std::int64_t key = 0; key < keys; ++key) {
    const float* all = values.data() + (key + 1) * columns - attention.key_width();  // the last
    for (std::int64_t head = 0; head < attention.heads; ++head) {
      const float* v = all + head / attention.group * head_width;
      double squares = 0;
      for (std::int64_t out = 0; out < weight.rows(); ++out) {
        double sum = 0;
        for (std::int64_t i = 0; i < head_width; ++i) {
          sum += double(v[i]) * double(w[out * inner + head * head_width + i]);
        }
        squares += sum * sum;
      }
      norms[head * keys + key] = static_cast<float>(std::sqrt(squares));
    }
  }
  return norms;
}

}  // namespace

bool is_for_attention_maps(const AttentionPart& attention, const std::string& point) {
  return point == attention.path + "/probabilities" || point == attention.values->path;
}

AttentionMaps attention_maps(const AttentionPart& attention, const Activations& activations) {
  const Tensor& probabilities =
      activations[attention.path + "/probabilities"];  // [rows, heads, keys]
  AttentionMaps maps;
  maps.heads = attention.heads;
  maps.queries = probabilities.shape()[0];
  maps.keys = probabilities.shape()[2];
  const std::vector<float> p = probabilities.values<float>();
  const std::vector<float> lengths = value_norms(attention, activations[attention.values->path]);
  for (std::int64_t head = 0; head < maps.heads; ++head) {
    for (std::int64_t query = 0; query < maps.queries; ++query) {
      for (std::int64_t key = 0; key < maps.keys; ++key) {
        const float probability = p[(query * maps.heads + head) * maps.keys + key];
        maps.probabilities.push_back(probability);
        maps.norms.push_back(probability * lengths[head * maps.keys + key]);
      }
    }
  }
  return maps;
}

}  // namespace kette
