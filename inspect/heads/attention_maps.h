// What every head looked at in one pass over one text, and how much of it mattered.
#pragma once

#include "inspect/activations.h"
#include "inspect/heads/attention_heads.h"

namespace kette {

/// Of one attention: row-major [heads, queries, keys].
struct AttentionMaps {
  std::int64_t heads = 0, queries = 0, keys = 0;
  std::vector<float> probabilities;
  /// The length of what the output gets from each key, |p_ij v_j W_O| with v_j and W_O of the head:
  /// Kobayashi et al. 2020, "Attention is Not Only a Weight", equation 5.
  std::vector<float> norms;

  std::span<const float> of(const std::vector<float>& values, std::int64_t head) const {
    const auto size = static_cast<std::size_t>(queries * keys);
    return std::span(values).subspan(static_cast<std::size_t>(head) * size, size);
  }
};

/// activations: of path/probabilities and of the values' map. The model that was recorded is one that
/// trains, not one made ready for decoding.
AttentionMaps attention_maps(const AttentionPart& attention, const Activations& activations);
/// Whether this reads the point.
bool is_for_attention_maps(const AttentionPart& attention, const std::string& point);

}  // namespace kette
