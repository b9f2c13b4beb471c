#include "nn/mixer.h"

#include "nn/probabilities.h"

namespace kette {

Variable Mixer::prepared(const Variable& qkv, const AttentionContext&, std::int64_t) const {
  return qkv;
}

Variable Mixer::attend(const Variable& qkv, const AttentionContext& sequences, std::int64_t layer,
                       const AttentionOptions& options) const {
  return sequences.self_attention(layer, qkv, options);
}

Variable Mixer::probabilities(const AttentionInputs& inputs, std::int64_t heads) const {
  return attention_probabilities(inputs, heads);
}

SlotLayout Mixer::slots(const HeadShape& heads, const AttentionPattern& pattern,
                        DType dtype) const {
  SlotLayout layout = SlotLayout::keys_and_values(heads.total_width() / pattern.group, dtype);
  layout.window = pattern.window;
  return layout;
}

std::shared_ptr<const Mixer> softmax_mixer(const Scope&, const HeadShape&) {
  static const auto paper = std::make_shared<const Mixer>();
  return paper;
}

}  // namespace kette
