// The Transformer as decoding wants it: every weight packed once for products of few rows
// (tensor/decoding.h), and no tape. The result of a row has the same bits whatever other rows are
// computed with it, which models/transformer.h does not promise. A snapshot: make a new one when
// the model has changed.
#pragma once

#include <vector>

#include "decode/packed_layers.h"
#include "models/transformer.h"

namespace kette {

struct PackedEncoderLayer {
  PackedLinear query_key_value, output;
  Residual after_self_attention;
  PackedFeedForward feed_forward;
  Residual after_feed_forward;

  PackedEncoderLayer(const EncoderLayer& layer, DType weights);
};

struct PackedDecoderLayer {
  PackedLinear query_key_value, output;
  Residual after_self_attention;
  PackedLinear memory_query, memory_key_value, memory_output;
  Residual after_cross_attention;
  PackedFeedForward feed_forward;
  Residual after_feed_forward;

  PackedDecoderLayer(const DecoderLayer& layer, DType weights);
};

/// The likeliest next tokens of each row, and the log-probability of the one asked for.
struct Predictions {
  std::int64_t count = 0;  ///< likeliest tokens a row
  std::vector<float> values;
  std::vector<std::int32_t> tokens;  ///< -1: there are no more
  std::vector<float> target_values;
};

class PackedTransformer {
 public:
  explicit PackedTransformer(const Transformer& model, DType weights = DType::f32);

  const TransformerConfig& config() const { return model_->config(); }
  Device device() const { return vocabulary_.panels.device(); }
  const std::vector<PackedDecoderLayer>& decoder() const { return decoder_; }

  Tensor embed(const Tensor& ids, const Tensor& positions) const;
  /// What the decoder attends to: [rows, width].
  Tensor encode(const std::vector<std::int32_t>& source, const Segments& segments) const;
  Tensor finish_decoder(const ResidualStream& x) const;
  /// log softmax of the projection of states [rows, width]. banned: i32 tokens that are not to be
  /// among the likeliest, or undefined; targets: i32 [rows].
  Predictions predict(const Tensor& states, std::int64_t count, const Tensor& banned,
                      const Tensor& targets) const;

 private:
  DType dtype() const;

  const Transformer* model_;
  std::vector<PackedEncoderLayer> encoder_;
  std::vector<PackedDecoderLayer> decoder_;
  PackedWeight vocabulary_;
};

}  // namespace kette
