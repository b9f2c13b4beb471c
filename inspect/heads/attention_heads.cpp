#include "inspect/heads/attention_heads.h"

#include "tensor/error.h"

namespace kette {
namespace {

AttentionPart part(AttentionKind kind, const MultiHeadSelfAttention& attention) {
  return {kind,
          attention.layer,
          attention.heads.computed(),
          attention.heads.width,
          attention.path,
          &attention.query_key_value,
          &attention.output,
          attention.pattern.group};
}

}  // namespace

std::vector<AttentionPart> attentions_of(const AutoregressiveModel& model) {
  const ModelConfig& config = model.config();
  // What is computed as a head is then a share of one (nn/head_shape.h).
  KETTE_CHECK(config.heads_of(0).value_multiple == 1,
              "heads: expected a model whose keys are as wide as its values, for others' heads are "
              "computed in shares, given a key_width of ",
              config.key_width, " (train one without --key-width)");
  std::vector<AttentionPart> parts;
  for (const Block& block : model.encoder()) {
    parts.push_back(part(AttentionKind::encoder, block.self_attention));
  }
  for (const Block& block : model.decoder()) {
    parts.push_back(part(AttentionKind::decoder, block.self_attention));
  }
  for (const Block& block : model.decoder()) {
    if (!block.cross_attention) continue;
    const MultiHeadCrossAttention& cross = *block.cross_attention;
    parts.push_back({AttentionKind::cross, cross.layer, cross.heads.computed(), cross.heads.width,
                     cross.path, &cross.key_value, &cross.output});
  }
  return parts;
}

std::vector<Head> heads_of(const std::vector<AttentionPart>& attentions) {
  std::vector<Head> heads;
  for (std::int64_t i = 0; i < std::ssize(attentions); ++i) {
    for (std::int64_t head = 0; head < attentions[i].heads; ++head) heads.push_back({i, head});
  }
  return heads;
}

}  // namespace kette
