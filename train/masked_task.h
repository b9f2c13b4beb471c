// Masked language modelling: predicts the masked tokens of windows of text (Devlin et al. 2019, section
// 3.1). Next-sentence prediction is left out, since models are no worse without it (Liu et al. 2019,
// "RoBERTa", section 4.2).
#pragma once

#include "data/corpora/masking.h"
#include "models/bert.h"
#include "train/starting_point.h"
#include "train/text_corpus.h"

namespace kette {

struct MaskedTrainOptions : TextOptions {
  BertConfig model;  ///< ignored with `from`; the vocabulary is the tokenizer's
  MaskingOptions masking;

  MaskedTrainOptions() { tokenizer_kind = "sentencepiece"; }
};

RunFingerprint fingerprint_of(const MaskedTrainOptions& options);

class MaskedTask final : public Task {
 public:
  explicit MaskedTask(MaskedTrainOptions options);

  const Model& model() const override { return *model_; }
  ParamStore& parameters() override { return start_->parameters(); }
  const RunFolder& folder() const override { return folder_; }
  Sampler& sampler() override { return *sampler_; }
  /// Their masks are the same in every run on the text.
  const std::vector<Batch>& validation_batches() const override { return valid_batches_; }
  double validation_loss() override;
  /// The accuracy on the masked tokens.
  std::optional<Score> validation_score() override;
  std::string report() const override;
  void save_description() const override;
  void save_base() const override { start_->save_description(options_); }
  std::string parameter_file() const override { return start_->parameter_file(); }

 private:
  MaskedTrainOptions options_;
  RunFolder folder_;
  TextCorpus corpus_;
  Masking masking_;
  std::optional<MaskedSampler> sampler_;
  std::vector<Batch> valid_batches_;
  std::unique_ptr<Bert> model_;
  std::optional<StartingPoint> start_;
  double accuracy_ = 0;  // of the last validation
};

inline TrainResult train(const MaskedTrainOptions& options) {
  MaskedTask task(options);
  return train(options, task);
}

}  // namespace kette
