// The sizes and settings of a BERT, and the presets of published models.
#pragma once

#include "models/stack_config.h"

namespace kette {

const Family& bert_family();

/// The defaults are those of Devlin et al. 2019, section 3, and their code. `context` includes
/// [CLS] and [SEP]. `biases` includes that of the logits.
struct BertConfig : StackConfig {
  std::int64_t segments = 2;  ///< number of segment embeddings; 0: none
  NormOrder norm = NormOrder::post;

  BertConfig();

  /// "bert-tiny" or "bert-small" have rotary positions and train on a laptop. "bert-base" and
  /// "bert-large" are the paper's, section 3. An unknown name is an Error that lists all.
  static BertConfig preset(const std::string& name);

  const Family& family() const override { return bert_family(); }
  std::unique_ptr<ModelConfig> clone() const override {
    return std::make_unique<BertConfig>(*this);
  }
  std::unique_ptr<Model> make_model() const override;
  std::vector<Field> fields() override;
  void check() const override;
  std::vector<ModelPart> parts() const override;
  double attention_pairs(const Segments& source, const Segments& target) const override;
  Batch example_batch(std::uint64_t seed) const override;
};

/// Small enough to check the gradient of every element.
BertConfig small_bert();
/// Pre-norm, with rotary positions, RMS norms and SwiGLU, without biases or segments.
BertConfig small_modern_bert();

}  // namespace kette
