// The sizes and settings of a GPT, and those of published models.
#pragma once

#include <string>
#include <vector>

#include "nn/block.h"

namespace kette {

/// Added to the tokens, GPT-2's own; or turning queries and keys, as in later models (Touvron et al.
/// 2023, "LLaMA").
enum class Positions : std::uint8_t { learned, rotary };

struct GptConfig {
  std::int64_t layers = 12;
  std::int64_t width = 768, hidden = 3072, heads = 12;
  std::int64_t vocabulary = 50257;
  std::int64_t context = 1024;  ///< tokens the model sees at once
  double dropout = 0.1;         ///< on sub-layer outputs and on the embeddings
  double attention_dropout = 0.1;
  Positions positions = Positions::learned;
  NormKind norm = NormKind::layer;
  FeedForwardKind feed_forward = FeedForwardKind::gelu;

  /// "gpt2", "gpt2-medium", "gpt2-large", "gpt2-xl" (Radford et al. 2019, table 2), or nanoGPT's
  /// two set-ups for a text of characters: "char-cpu" and "char". An unknown name is an Error that
  /// lists them.
  static GptConfig preset(const std::string& name);
  static const std::vector<std::string>& presets();
  /// Throws an Error that names the setting that makes no sense.
  void check() const;
};

}  // namespace kette
