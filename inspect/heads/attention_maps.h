// The attention maps of every head in a forward pass over one text, and maps weighted by the values' norms.
#pragma once

#include "decode/alignment.h"
#include "inspect/activations.h"
#include "inspect/heads/attention_heads.h"

namespace kette {

/// activations: of path/probabilities and of the values' map. The model that was recorded is one that
/// trains, not one made ready for decoding.
AttentionMaps attention_maps(const AttentionPart& attention, const Activations& activations);
/// Whether this reads the point.
bool is_for_attention_maps(const AttentionPart& attention, const std::string& point);

}  // namespace kette
