// Language modelling: the loss of every next token in windows of text (Radford et al. 2019).
#pragma once

#include <optional>
#include <vector>

#include "data/corpora/window_sampler.h"
#include "train/starting_point.h"
#include "train/text_corpus.h"

namespace kette {

struct TextTrainOptions : TextOptions {
  GptConfig model;  ///< ignored with `from`; the vocabulary is the tokenizer's
};

inline RunFingerprint fingerprint_of(const TextTrainOptions& options) {
  return fingerprint_of(options, options.model);
}

class TextTask final : public Task {
 public:
  explicit TextTask(TextTrainOptions options);

  const Model& model() const override { return *model_; }
  ParamStore& parameters() override { return start_->parameters(); }
  const RunFolder& folder() const override { return folder_; }
  Sampler& sampler() override { return *sampler_; }
  const std::vector<Batch>& validation_batches() const override { return valid_batches_; }
  double validation_loss() override;
  std::string report() const override;
  void save_description() const override;
  void save_base() const override { start_->save_description(options_); }
  std::string parameter_file() const override { return start_->parameter_file(); }

 private:
  TextTrainOptions options_;
  RunFolder folder_;
  TextCorpus corpus_;
  std::optional<WindowSampler> sampler_;
  std::vector<Batch> valid_batches_;
  std::unique_ptr<Gpt> model_;
  std::optional<StartingPoint> start_;
};

inline TrainResult train(const TextTrainOptions& options) {
  TextTask task(options);
  return train(options, task);
}

}  // namespace kette
