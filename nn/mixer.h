// What self-attention does between its maps: how it mixes the rows of a sequence, and what a cache keeps of them.
// Here it is the paper's, with a softmax over keys as they are projected. Others are subclasses in files of their own,
// so that what few models have stands in few files; BlockConfig::mixer says which a block has.
#pragma once

#include <memory>

#include "nn/attention_context.h"
#include "nn/head_shape.h"
#include "nn/slot_layout.h"

namespace kette {

class Mixer {
 public:
  virtual ~Mixer() = default;

  /// What becomes of the projection before positions turn it: [Q K V], [rows, width + 2 * key width] -> such rows.
  /// layer: which of the model's self-attentions it is.
  virtual Variable prepared(const Variable& qkv, const AttentionContext& sequences,
                            std::int64_t layer) const;
  /// What the queries get from the keys and values of their sequences: such rows -> [rows, width].
  virtual Variable attend(const Variable& qkv, const AttentionContext& sequences,
                          std::int64_t layer, const AttentionOptions& options) const;
  /// How much each query takes from each key, for who looks inside (nn/probabilities.h).
  virtual Variable probabilities(const QueriesAndKeys& pairs, std::int64_t heads) const;
  /// dtype: of keys and values.
  virtual SlotLayout slots(const HeadShape& heads, const AttentionPattern& pattern,
                           DType dtype) const;
  /// Its parameters; the first dimension of each is that of the heads.
  virtual std::vector<Variable> of_heads() const { return {}; }
};

/// Makes the mixer of one attention; scope: the attention's.
using MakeMixer = std::shared_ptr<const Mixer> (*)(const Scope& scope, const HeadShape& heads);

std::shared_ptr<const Mixer> softmax_mixer(const Scope& scope, const HeadShape& heads);

}  // namespace kette
