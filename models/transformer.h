// "Attention Is All You Need" (Vaswani et al. 2017): the encoder-decoder Transformer, figure 1.
// Reads top-down like the figure. All sequences are packed (tensor/segments.h): rows are tokens,
// there is no padding.
#pragma once

#include <string>
#include <vector>

#include "data/special_tokens.h"
#include "nn/layers.h"

namespace kette {

/// Table 3 of the paper names these N, d_model, d_ff, h, P_drop.
struct TransformerConfig {
  std::int64_t encoder_layers = 6, decoder_layers = 6;
  std::int64_t width = 512, hidden = 2048, heads = 8;
  std::int64_t vocabulary = 37000;  ///< shared by source, target and output
  std::int64_t max_length = 1024;   ///< longest sequence, in tokens
  double dropout = 0.1;             ///< on sub-layer outputs and on embeddings + positions
  double attention_dropout = 0, activation_dropout = 0;
  NormOrder norm = NormOrder::post;
  Activation activation = Activation::relu;
  SinusoidLayout sinusoids = SinusoidLayout::interleaved;
  bool output_bias = false;  ///< added to the logits, as in Marian
  SpecialTokens special;

  /// "tiny" (Wu et al. 2021), "base" or "big" (the paper's Table 3); an unknown name is an Error
  /// that lists them.
  static TransformerConfig preset(const std::string& name);
  /// Throws an Error that names the setting that makes no sense.
  void check() const;
};

struct EncoderLayer {
  MultiHeadSelfAttention self_attention;
  Residual after_self_attention;
  FeedForward feed_forward;
  Residual after_feed_forward;

  EncoderLayer(const Scope& scope, const TransformerConfig& config);
  ResidualStream operator()(const ResidualStream& x, const Segments& segments, Run& run) const;
};

struct DecoderLayer {
  MultiHeadSelfAttention self_attention;
  Residual after_self_attention;
  MultiHeadCrossAttention cross_attention;
  Residual after_cross_attention;
  FeedForward feed_forward;
  Residual after_feed_forward;

  DecoderLayer(const Scope& scope, const TransformerConfig& config);
  ResidualStream operator()(const ResidualStream& x, const Variable& memory,
                            const Segments& segments, const Segments& memory_segments,
                            Run& run) const;
};

class Transformer {
 public:
  /// Registers every parameter; the values come with materialize().
  explicit Transformer(const TransformerConfig& config);
  Transformer(const Transformer&) = delete;
  Transformer& operator=(const Transformer&) = delete;

  const TransformerConfig& config() const { return config_; }
  ParamStore& parameters() { return store_; }
  const ParamStore& parameters() const { return store_; }
  /// Only makes room for the values, which come from a file.
  void allocate(DType dtype, Device device, Gradients gradients);
  void materialize(std::uint64_t seed, DType dtype = DType::f32, Device device = {},
                   Gradients gradients = Gradients::kept);

  /// source: i32 [rows] -> memory [rows, width].
  Variable encode(const Tensor& source, const Segments& segments, Run& run) const;
  /// target: i32 [rows], each sequence starting with <s> -> states [rows, width].
  Variable decode(const Tensor& target, const Segments& segments, const Variable& memory,
                  const Segments& memory_segments, Run& run) const;
  /// The label-smoothed loss of the next tokens; the output projection is the embedding table.
  Variable loss(const Variable& states, const Tensor& next, const CrossEntropyOptions& options,
                const Tensor& sums = {}) const;
  /// states [rows, width] -> [rows, vocabulary].
  Variable logits(const Variable& states) const;

  /// Dropout(Embedding(ids) * sqrt(width) + PE(positions)); positions: i32 [rows].
  Variable embed(const Tensor& ids, const Tensor& positions, Run& run) const;

  // The parts, for decoding with a cache and for study.
  const Embedding& shared_embedding() const { return embedding_; }
  /// [vocabulary]; undefined in a model without one.
  const Variable& output_bias() const { return output_bias_; }
  const std::vector<EncoderLayer>& encoder() const { return encoder_; }
  const std::vector<DecoderLayer>& decoder() const { return decoder_; }
  std::vector<EncoderLayer>& encoder() { return encoder_; }
  std::vector<DecoderLayer>& decoder() { return decoder_; }
  /// After the stack: the final norm of pre-norm models, x itself otherwise.
  Variable finish_encoder(const ResidualStream& x) const;
  Variable finish_decoder(const ResidualStream& x) const;

 private:
  void make_tables(DType dtype, Device device);

  TransformerConfig config_;
  ParamStore store_;
  Embedding embedding_;
  std::vector<EncoderLayer> encoder_;
  std::vector<DecoderLayer> decoder_;
  std::vector<Norm> final_norms_;  // pre-norm only: of the encoder, of the decoder
  Variable output_bias_;
  Tensor positions_;  // [max_length, width]
};

}  // namespace kette
