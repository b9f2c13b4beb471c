// A BERT that says which class a text is of, by the state of its first token, [CLS] (Devlin et al. 2019,
// section 4.1):
//   logits = Dropout(x of the first token) W^T + b
// A batch: source, the texts; target_out, the class of each, with target_segments of one row a text.
#pragma once

#include "models/bert.h"

namespace kette {

const Family& classifier_family();

struct ClassifierConfig final : BertConfig {
  std::int64_t classes = 2;

  const Family& family() const override { return classifier_family(); }
  std::unique_ptr<ModelConfig> clone() const override {
    return std::make_unique<ClassifierConfig>(*this);
  }
  std::unique_ptr<Model> make_model() const override;
  std::vector<Field> fields() override;
  void check() const override;
  std::vector<ModelPart> parts() const override;
  Batch example_batch(std::uint64_t seed) const override;
};

class Classifier final : public Model {
 public:
  explicit Classifier(const ClassifierConfig& config);

  const ClassifierConfig& config() const override { return config_; }
  std::int64_t positions() const override { return config_.context; }
  /// [texts, classes]. Points: those of the encoder, classes.
  Variable logits(const Batch& batch, Run& run) const override;
  Variable loss(const Batch& batch, const CrossEntropyOptions& options, Run& run,
                const Tensor& sums = {}) const override;
  void each_linear(const VisitLinear& visit) override;

 private:
  /// The states of the first tokens: [texts, width].
  Variable first_states(const Batch& batch, Run& run) const;
  void make_tables(DType dtype, Device device) override { encoder_.make_tables(dtype, device); }

  ClassifierConfig config_;
  BertEncoder encoder_;
  Linear classes_;
};

}  // namespace kette
