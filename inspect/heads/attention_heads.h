// The heads of a model, by the attentions that they belong to.
#pragma once

#include "models/autoregressive_model.h"
#include "tensor/enum_names.h"

namespace kette {

/// Of the encoder's and the decoder's self-attention, and from the decoder to the encoder's output.
enum class AttentionKind : std::uint8_t { encoder, decoder, cross };
template <>
inline constexpr auto kNamesOf<AttentionKind> =
    enum_names<AttentionKind>({{AttentionKind::encoder, "encoder"},
                               {AttentionKind::decoder, "decoder"},
                               {AttentionKind::cross, "cross"}});

/// One attention sub-layer. The maps belong to the model.
struct AttentionPart {
  AttentionKind kind;
  std::int64_t layer;
  std::int64_t heads, head_width;
  std::string path;
  const Linear* values;  ///< its last rows, key_width() of them, make the values
  const Linear* output;
  std::int64_t group = 1;  ///< so many heads, one after the other, share keys and values

  std::int64_t total_width() const { return heads * head_width; }
  std::int64_t key_width() const { return total_width() / group; }
  /// "encoder 2", counted from 0 as in the paths.
  std::string name() const { return enum_name(kind) + " " + std::to_string(layer); }
};

/// In the order encoder, decoder, cross; each from the first layer.
std::vector<AttentionPart> attentions_of(const AutoregressiveModel& model);

struct Head {
  std::int64_t attention;  ///< a place in attentions_of()
  std::int64_t head;
};
std::vector<Head> heads_of(const std::vector<AttentionPart>& attentions);

}  // namespace kette
