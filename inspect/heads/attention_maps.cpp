#include "inspect/heads/attention_maps.h"

namespace kette {
bool is_for_attention_maps(const AttentionPart& attention, const std::string& point) {
  return point == points::probabilities(attention.path) || point == attention.values->path;
}

AttentionMaps attention_maps(const AttentionPart& attention, const Activations& activations) {
  const Tensor& probabilities =
      activations[points::probabilities(attention.path)];  // [rows, heads, keys]
  AttentionMaps maps;
  maps.heads = attention.heads;
  maps.queries = probabilities.shape()[0];
  maps.keys = probabilities.shape()[2];
  const std::vector<float> p = probabilities.values<float>();
  const std::vector<float> lengths =
      HeadOutputs(*attention.output, attention.heads, attention.head_width)
          .lengths(activations[attention.values->path], attention.group);
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
