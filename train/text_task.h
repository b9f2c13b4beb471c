// Learning a language: windows of text, the loss of every next token (Radford et al. 2019).
#pragma once

#include <optional>
#include <vector>

#include "data/corpora/text_documents.h"
#include "data/corpora/window_sampler.h"
#include "train/starting_point.h"

namespace kette {

struct TextTrainOptions : TrainOptions {
  /// Text, plain or gzip; or one file of ids (data/corpora/token_file.h).
  std::vector<std::filesystem::path> text, valid_text;
  DocumentKind documents = DocumentKind::file;
  /// Without valid_text, the last share of the text's tokens is kept for validation.
  double valid_share = 0.1;
  std::int64_t valid_tokens = std::int64_t{1} << 18;  ///< a validation reads at most this many

  SharedTokenizer tokenizer;  ///< undefined: that of `from`, or one is made from the text
  /// Which kind is made: "character" or "sentencepiece", the latter of `vocabulary` pieces.
  std::string tokenizer_kind = "character";
  std::int64_t vocabulary = 8000;

  GptConfig model;  ///< without `from`, which has its own; its vocabulary is the tokenizer's

  TextTrainOptions() { label_smoothing = 0; }
};

class TextTask final : public Task {
 public:
  explicit TextTask(TextTrainOptions options);

  const Model& model() const override { return *model_; }
  ParamStore& parameters() override { return start_->parameters(); }
  const RunFolder& folder() const override { return folder_; }
  Batch next_batch() override { return sampler_->next(); }
  std::int64_t target_tokens(std::int64_t batches) const override {
    return sampler_->target_tokens(batches);
  }
  BatchSampler::State sampler_state() const override { return sampler_->state(); }
  void restore_sampler(const BatchSampler::State& state) override { sampler_->restore(state); }
  std::int64_t batches_in_epoch() const override { return sampler_->batches_in_epoch(); }
  const std::vector<Batch>& validation_batches() const override { return valid_batches_; }
  double validation_loss() override;
  std::string report() const override;
  void save_description() const override;
  std::string parameter_file() const override { return start_->parameter_file(); }

 private:
  SharedTokenizer make_tokenizer() const;
  TokenFile tokens_of(const std::vector<std::filesystem::path>& files, const char* name) const;

  TextTrainOptions options_;
  RunFolder folder_;
  SharedTokenizer tokenizer_;
  std::optional<TokenFile> corpus_, valid_corpus_;
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
