#include "inspect/heads/attention_heads.h"

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
