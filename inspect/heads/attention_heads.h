// The heads of a model, grouped by attention sub-layer.
#pragma once

#include "models/autoregressive_model.h"
#include "tensor/enum_names.h"

namespace kette {

/// Self-attention of the encoder and of the decoder, and cross-attention.
enum class AttentionKind : std::uint8_t { encoder, decoder, cross };
template <>
inline constexpr auto kNamesOf<AttentionKind> =
    enum_names<AttentionKind>({{AttentionKind::encoder, "encoder"},
                               {AttentionKind::decoder, "decoder"},
                               {AttentionKind::cross, "cross"}});

/// One attention sub-layer. The model owns the linear maps.
struct AttentionPart {
  AttentionKind kind;
  std::int64_t layer;
  std::int64_t heads, head_width;
  std::string path;
  const Linear* values;  ///< its last key_width() rows compute the values
  const Linear* output;
  std::int64_t group = 1;  ///< the number of consecutive heads that share keys and values

  std::int64_t total_width() const { return heads * head_width; }
  std::int64_t key_width() const { return total_width() / group; }
  /// "encoder 2"; layers count from 0.
  std::string name() const { return enum_name(kind) + " " + std::to_string(layer); }
};

/// In the order encoder, decoder, cross, each from the first layer on. An Error for a model with a key_width.
std::vector<AttentionPart> attentions_of(const AutoregressiveModel& model);

struct Head {
  std::int64_t attention;  ///< an index of attentions_of()
  std::int64_t head;
};
std::vector<Head> heads_of(const std::vector<AttentionPart>& attentions);

}  // namespace kette
