// Self-attention between its projections: how rows of a sequence are mixed, and what a cache
// stores. This class is the paper's: softmax over the projected keys. Variants are subclasses in
// files of their own. BlockConfig::mixer selects one.
#pragma once

#include <memory>

#include "nn/attention_context.h"
#include "nn/head_shape.h"
#include "nn/slot_layout.h"

namespace kette {

class Mixer {
 public:
  virtual ~Mixer() = default;

  /// Transforms the projection [Q K V], [rows, width + 2 * key width], before rotary positions are
  /// applied; the shape stays. layer: the number of the self-attention in the model.
  virtual Variable prepared(const Variable& qkv, const AttentionContext& sequences,
                            std::int64_t layer) const;
  /// The attention itself: qkv, [rows, width + 2 * key width] -> [rows, width].
  virtual Variable attend(const Variable& qkv, const AttentionContext& sequences,
                          std::int64_t layer, const AttentionOptions& options) const;
  /// The attention probabilities, for inspection: [rows, heads, keys] (nn/probabilities.h).
  virtual Variable probabilities(const AttentionInputs& inputs, std::int64_t heads) const;
  /// What a cache stores. dtype: the type of keys and values.
  virtual SlotLayout slots(const HeadShape& heads, const AttentionPattern& pattern,
                           DType dtype) const;
  /// Its parameters. The first dimension of each is the heads.
  virtual std::vector<Variable> head_parameters() const { return {}; }
};

/// Creates the mixer of one attention. scope: that of the attention.
using MakeMixer = std::shared_ptr<const Mixer> (*)(const Scope& scope, const HeadShape& heads);

std::shared_ptr<const Mixer> softmax_mixer(const Scope& scope, const HeadShape& heads);

}  // namespace kette
