// The sizes and settings of a GPT, and the presets of published models.
#pragma once

#include "models/stack_config.h"
#include "tensor/attention_pattern.h"

namespace kette {

template <>
inline constexpr auto kNamesOf<AttentionWeights> = enum_names<AttentionWeights>(
    {{AttentionWeights::softmax, "softmax"}, {AttentionWeights::linear, "linear"}});

const Family& gpt_family();

/// hidden: 0 for an attention-only model (Elhage et al. 2021, "A Mathematical Framework for
/// Transformer Circuits"). biases: the logits never have one.
struct GptConfig final : StackConfig {
  bool tied_output = true;    ///< the token embedding is also the projection to the vocabulary
  bool smeared_keys = false;  ///< see autograd/ops/smear.h
  AttentionWeights attention = AttentionWeights::softmax;
  std::int64_t kv_heads =
      /// Heads of keys and values, each shared by a group of query heads; 0: as many as query heads.
      0;
  /// Tokens that a token attends to, itself included; 0: all up to itself.
  std::int64_t attention_window = 0;

  GptConfig();

  /// "gpt2", "gpt2-medium", "gpt2-large" and "gpt2-xl" (Radford et al. 2019, table 2), or nanoGPT's
  /// models of characters: "char-cpu" and "char". An unknown name is an Error that lists all.
  static GptConfig preset(const std::string& name);

  const Family& family() const override { return gpt_family(); }
  std::unique_ptr<ModelConfig> clone() const override { return std::make_unique<GptConfig>(*this); }
  std::unique_ptr<Model> make_model() const override;
  std::vector<Field> fields() override;
  void check() const override;
  std::int64_t min_hidden() const override { return 0; }
  std::vector<ModelPart> parts() const override;
  double attention_pairs(const Segments& source, const Segments& target) const override;
  CacheSize largest_cache() const override;
  /// The attention pattern of every layer.
  AttentionPattern pattern() const;
  /// The configuration of every block.
  BlockConfig block_config() const;
};

/// Small enough to check the gradient of every element.
GptConfig small_gpt();
/// With rotary positions, RMS norms and SwiGLU.
GptConfig small_modern_gpt();
/// Only attention with smeared keys: no feed-forward layers, norms or biases, and an untied output.
GptConfig small_attention_only_gpt();
/// Smeared keys with rotary positions; layer norms and feed-forward layers without biases.
GptConfig small_unbiased_gpt();
/// With ReLU and an untied output, without norms or biases, as in Nanda et al. 2023, "Progress
/// Measures for Grokking via Mechanistic Interpretability".
GptConfig small_grokking_gpt();
/// Four heads, pruned to three in one layer and to one in the other.
GptConfig small_pruned_gpt();
/// Four query heads and two key heads, rotary positions, SwiGLU, and RMS norms.
GptConfig small_grouped_gpt();
/// An attention window of three tokens, three heads, and ALiBi.
GptConfig small_windowed_gpt();
/// Linear attention, with four query heads and two key heads.
GptConfig small_linear_gpt();
/// All small GPTs, each with a label.
std::vector<std::pair<std::string, GptConfig>> small_gpts();

}  // namespace kette
