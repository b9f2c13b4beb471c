// "Language Models are Unsupervised Multitask Learners" (Radford et al. 2019): the decoder-only
// Transformer of GPT-2. Reads top-down:
//   x = token embedding + position embedding
//   x = x + attention(norm(x));  x = x + feed_forward(norm(x))      `layers` times
//   logits = norm(x) E^T        E: the token embedding again
// All sequences are packed (tensor/segments.h): rows are tokens, there is no padding.
#pragma once

#include <string>
#include <vector>

#include "nn/layers.h"

namespace kette {

// GPT-2's own form, and what later models (Touvron et al. 2023, "LLaMA") put in its place: positions
// added to the tokens or turning queries and keys, and the inside of the feed-forward layers.
enum class Positions : std::uint8_t { learned, rotary };
enum class Gate : std::uint8_t { gelu, swiglu };

struct GptConfig {
  std::int64_t layers = 12;
  std::int64_t width = 768, hidden = 3072, heads = 12;
  std::int64_t vocabulary = 50257;
  std::int64_t context = 1024;  ///< tokens the model sees at once
  double dropout = 0.1;         ///< on sub-layer outputs and on the embeddings
  double attention_dropout = 0.1;
  Positions positions = Positions::learned;
  NormKind norm = NormKind::layer;
  Gate gate = Gate::gelu;

  /// "gpt2", "gpt2-medium", "gpt2-large", "gpt2-xl" (Radford et al. 2019, table 2), or nanoGPT's
  /// two set-ups for a text of characters: "char-cpu" and "char". An unknown name is an Error that
  /// lists them.
  static GptConfig preset(const std::string& name);
  static const std::vector<std::string>& presets();
  /// Throws an Error that names the setting that makes no sense.
  void check() const;
};

struct GptLayer {
  Residual attention_residual;
  MultiHeadSelfAttention attention;
  Residual feed_forward_residual;
  FeedForward feed_forward;

  GptLayer(const Scope& scope, const GptConfig& config);
  ResidualStream operator()(const ResidualStream& x, const Segments& segments, Run& run,
                            const Rotation* rotation) const;
};

class Gpt {
 public:
  /// Registers every parameter; the values come with materialize().
  explicit Gpt(const GptConfig& config);
  Gpt(const Gpt&) = delete;
  Gpt& operator=(const Gpt&) = delete;

  const GptConfig& config() const { return config_; }
  ParamStore& parameters() { return store_; }
  const ParamStore& parameters() const { return store_; }
  /// Only makes room for the values, which come from a file.
  void allocate(DType dtype, Device device, Gradients gradients);
  void materialize(std::uint64_t seed, DType dtype = DType::f32, Device device = {},
                   Gradients gradients = Gradients::kept);

  /// ids: i32 [rows] -> the states that logits and loss are made of, [rows, width].
  Variable states(const Tensor& ids, const Segments& segments, Run& run) const;
  /// The loss of the next tokens; the output projection is the token embedding.
  Variable loss(const Variable& states, const Tensor& next, const CrossEntropyOptions& options,
                const Tensor& sums = {}) const;
  /// states [rows, width] -> [rows, vocabulary].
  Variable logits(const Variable& states) const;

  // The parts, for decoding with a cache and for study.
  /// Dropout(token embedding + position embedding, if there is one); positions: i32 [rows].
  Variable embed(const Tensor& ids, const Tensor& positions, Run& run) const;
  const Embedding& token_embedding() const { return token_embedding_; }
  /// Nothing in rotary models.
  const std::optional<Embedding>& position_embedding() const { return position_embedding_; }
  const std::vector<GptLayer>& layers() const { return layers_; }
  std::vector<GptLayer>& layers() { return layers_; }
  const Norm& final_norm() const { return final_norm_; }
  /// [context, head width] of rotary models; undefined otherwise.
  const Tensor& rotary_table() const { return rotary_table_; }

 private:
  void make_tables(DType dtype, Device device);

  GptConfig config_;
  ParamStore store_;
  Embedding token_embedding_;
  std::optional<Embedding> position_embedding_;
  std::vector<GptLayer> layers_;
  Norm final_norm_;
  Tensor rotary_table_;
};

}  // namespace kette
