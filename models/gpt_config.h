// The sizes and settings of a GPT, and those of published models.
#pragma once

#include "models/stack_config.h"
#include "tensor/attention_pattern.h"

namespace kette {

template <>
inline constexpr auto kNamesOf<AttentionWeights> = enum_names<AttentionWeights>(
    {{AttentionWeights::softmax, "softmax"}, {AttentionWeights::linear, "linear"}});

const Family& gpt_family();

/// hidden: 0 for a model of attention alone (Elhage et al. 2021, "A Mathematical Framework for
/// Transformer Circuits").
/// biases: the logits have none in any case.
struct GptConfig final : StackConfig {
  bool tied_output = true;    ///< logits are made with the token embedding
  bool smeared_keys = false;  ///< see autograd/ops/smear.h
  AttentionWeights attention = AttentionWeights::softmax;
  std::int64_t kv_heads =
      0;  ///< heads of keys and values, shared by the others; 0: all have their own
  std::int64_t attention_window = 0;  ///< tokens that one sees, itself the last; 0: all before it

  GptConfig();

  /// "gpt2", "gpt2-medium", "gpt2-large", "gpt2-xl" (Radford et al. 2019, table 2), or nanoGPT's
  /// two set-ups for a text of characters: "char-cpu" and "char". An unknown name is an Error that
  /// lists them.
  static GptConfig preset(const std::string& name);

  const Family& family() const override { return gpt_family(); }
  std::unique_ptr<ModelConfig> clone() const override { return std::make_unique<GptConfig>(*this); }
  std::unique_ptr<Model> make_model() const override;
  std::vector<Field> fields() override;
  void check() const override;
  std::int64_t least_hidden() const override { return 0; }
  std::vector<ModelPart> parts() const override;
  double attention_pairs(const Segments& source, const Segments& target) const override;
  CacheSize largest_cache() const override;
  /// Of every layer's attention.
  AttentionPattern pattern() const;
  /// Of every layer.
  BlockConfig block_config() const;
};

/// Small enough that every element can be checked.
GptConfig small_gpt();
/// With rotary positions, root mean square norms and SwiGLU.
GptConfig small_modern_gpt();
/// Smeared attention and nothing else: no feed-forward layers, norms or biases, and an untied output.
GptConfig small_attention_only_gpt();
/// Smeared keys that turn, and layer norms and feed-forward layers without biases.
GptConfig small_unbiased_gpt();
/// Without norms or biases, with ReLU and an untied output, as of Nanda et al. 2023, "Progress Measures
/// for Grokking via Mechanistic Interpretability".
GptConfig small_grokking_gpt();
/// Four heads, of which pruning has left three in one layer and one in the other.
GptConfig small_pruned_gpt();
/// Four heads on two of the keys, which turn; SwiGLU, and root mean square norms.
GptConfig small_grouped_gpt();
/// Each token sees three, with ALiBi's slopes for three heads.
GptConfig small_windowed_gpt();
/// Linear attention, four heads on two of the keys.
GptConfig small_linear_gpt();
/// All of them, each with a label.
std::vector<std::pair<std::string, GptConfig>> small_gpts();

}  // namespace kette
