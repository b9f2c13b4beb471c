// An encoder alone, that says which class a text is of (Devlin et al. 2019, "BERT", section 4.1). Reads
// top-down:
//   x = Dropout(token embedding + PE)
//   x = x + attention(norm(x));  x = x + feed_forward(norm(x))      `layers` times, without a mask
//   logits = norm(x of the first token) W^T + b
// A batch: source, the texts; target_out, the class of each, with target_segments of one row a text.
#pragma once

#include "models/model.h"

namespace kette {

const Family& classifier_family();

struct ClassifierConfig final : ModelConfig {
  std::int64_t layers = 4;
  std::int64_t max_length = 512;  ///< longest text, in tokens
  std::int64_t classes = 2;

  const Family& family() const override { return classifier_family(); }
  std::unique_ptr<ModelConfig> clone() const override {
    return std::make_unique<ClassifierConfig>(*this);
  }
  std::unique_ptr<Model> make_model() const override;
  std::vector<Field> fields() override;
  void check() const override;
  std::vector<SummaryRow> summary() const override;
  double attention_pairs(const Segments& source, const Segments& target) const override;
  Batch example_batch(std::uint64_t seed) const override;
};

class Classifier final : public Model {
 public:
  explicit Classifier(const ClassifierConfig& config);

  const ClassifierConfig& config() const override { return config_; }
  std::int64_t positions() const override { return config_.max_length; }
  /// [texts, classes]. Points: embedded, those of the blocks, output.
  Variable logits(const Batch& batch, Run& run) const override;
  Variable loss(const Batch& batch, const CrossEntropyOptions& options, Run& run,
                const Tensor& sums = {}) const override;
  void each_linear(const VisitLinear& visit) override;

 private:
  /// The states of the first tokens: [texts, width].
  Variable first_states(const Batch& batch, Run& run) const;
  void make_tables(DType dtype, Device device) override;

  ClassifierConfig config_;
  Embedding embedding_;
  std::vector<Block> blocks_;
  Norm final_norm_;
  Linear output_;
  Tensor positions_;  // [max_length, width]
};

}  // namespace kette
