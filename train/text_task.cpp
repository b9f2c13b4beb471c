#include "train/text_task.h"

#include <cmath>

#include "data/files/file_fingerprint.h"
#include "data/files/text_file.h"
#include "data/tokenizers/character_tokenizer.h"
#include "data/tokenizers/sentencepiece_tokenizer.h"
#include "train/status_line.h"

namespace kette {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSentencePiece = "sentencepiece";

std::string joined_text(const std::vector<fs::path>& files) {
  std::string text;
  for (const fs::path& file : files) text += read_text(file);
  return text;
}

std::string names_of(const std::vector<fs::path>& files) {
  std::string names;
  for (const fs::path& file : files) {
    names += (names.empty() ? "" : ", ") + fs::absolute(file).string();
  }
  return names;
}

std::int64_t windows_per_batch(const TextTrainOptions& options) {
  KETTE_CHECK(options.batch_tokens >= options.model.context,
              "batch_tokens: expected at least one window of ", options.model.context,
              " tokens, given ", options.batch_tokens);
  return options.batch_tokens / options.model.context;
}

TextTrainOptions prepared(TextTrainOptions options) {
  options.check();
  if (!options.from.empty()) options.model = read_config_of<GptConfig>(options.from);
  options.model.check();
  windows_per_batch(options);
  return options;
}

RunFingerprint fingerprint_of(const TextTrainOptions& options) {
  RunFingerprint fingerprint;
  fingerprint.add_data("text", options.text);
  fingerprint.add_data("valid_text", options.valid_text);
  fingerprint.add_model(to_json(options.model));
  if (options.tokenizer) {
    fingerprint.add("tokenizer", options.tokenizer->fingerprint());
  } else if (options.from.empty()) {
    fingerprint.add("tokenizer", options.tokenizer_kind);
    if (options.tokenizer_kind == kSentencePiece) fingerprint.add("vocab", options.vocabulary);
  }
  fingerprint.add("documents", enum_name(options.documents));
  fingerprint.add("valid_share", options.valid_share);
  fingerprint.add("valid_tokens", options.valid_tokens);
  add_to_fingerprint(options, fingerprint);
  return fingerprint;
}

}  // namespace

TextTask::TextTask(TextTrainOptions options)
    : options_(prepared(std::move(options))),
      folder_(options_, fingerprint_of(options_)),
      tokenizer_(make_tokenizer()) {
  const std::int64_t windows = windows_per_batch(options_);
  if (options_.from.empty()) options_.model.vocabulary = tokenizer_->vocabulary();
  corpus_ = tokens_of(options_.text, "train.tokens");
  if (options_.valid_text.empty()) {
    const auto kept = static_cast<std::int64_t>(
        std::llround(static_cast<double>(corpus_->size()) * (1 - options_.valid_share)));
    valid_corpus_ = corpus_->part(kept, corpus_->size() - kept);
    corpus_ = corpus_->part(0, kept);
  } else {
    valid_corpus_ = tokens_of(options_.valid_text, "valid.tokens");
  }
  const std::int64_t context = options_.model.context;
  sampler_.emplace(*corpus_, WindowOptions{context, windows, options_.seed});
  const std::int64_t valid_tokens = std::min(options_.valid_tokens, valid_corpus_->size());
  KETTE_CHECK(valid_tokens > 0,
              "train: expected text for validation, given none (give --valid-text)");
  const std::vector<SlidingWindow> plan = plan_sliding(valid_tokens, context, context);
  const auto step = static_cast<std::size_t>(windows);
  for (std::size_t first = 0; first < plan.size(); first += step) {
    const auto count = std::min(step, plan.size() - first);
    valid_batches_.push_back(
        make_sliding_batch(*valid_corpus_, std::span(plan).subspan(first, count)).batch);
  }
  model_ = std::make_unique<Gpt>(options_.model);
  start_.emplace(*model_, options_);
}

SharedTokenizer TextTask::make_tokenizer() const {
  if (folder_.resumes()) {
    return load_tokenizer(options_.out, read_tokenizer_description(options_.out).kind);
  }
  if (!options_.from.empty()) {
    KETTE_CHECK(!options_.tokenizer,
                "tokenizer: expected none beside a model to start from, which has its own, given ",
                options_.tokenizer->kind());
    return load_tokenizer(options_.from, read_tokenizer_description(options_.from).kind);
  }
  if (options_.tokenizer) return options_.tokenizer;
  KETTE_CHECK(
      !is_token_file(options_.text.front()), options_.text.front().string(),
      ": expected a tokenizer beside a file of tokens, given none (give --tokenizer as kette tokenize was given it)");
  if (options_.tokenizer_kind == "character") {
    return CharacterTokenizer::from_text(joined_text(options_.text), names_of(options_.text));
  }
  KETTE_CHECK(options_.tokenizer_kind == kSentencePiece,
              "tokenizer: expected character or sentencepiece to make one from the text, given ",
              options_.tokenizer_kind);
  SentencePieceOptions settings;
  settings.vocabulary = options_.vocabulary;
  return SentencePieceTokenizer::train_text(joined_text(options_.text), settings);
}

TokenFile TextTask::tokens_of(const std::vector<fs::path>& files, const char* name) const {
  if (are_tokens(files)) return open_tokens(files.front(), *tokenizer_);
  const fs::path path = options_.out / name;
  const std::string made_of = file_fingerprint(files) + "; " + tokenizer_->fingerprint() +
                              "; documents " + enum_name(options_.documents);
  if (!were_made_of(path, made_of)) {
    StatusLine line(options_.quiet);
    tokenize_files(files, *tokenizer_, options_.documents, path, show_on(line), made_of);
  }
  return open_tokens(path, *tokenizer_);
}

double TextTask::validation_loss() {
  return kette::validation_loss(start_->model(), valid_batches_);
}

std::string TextTask::report() const {
  return std::to_string(corpus_->size()) + " tokens to learn from and " +
         std::to_string(valid_corpus_->size()) + " to validate on, " + tokenizer_->kind() +
         " vocabulary of " + std::to_string(tokenizer_->vocabulary()) + "\n" +
         start_->report(options_) + ", " + std::to_string(batches_in_epoch()) + " batches an epoch";
}

void TextTask::save_description() const {
  kette::save_description(options_.out, options_.model, *tokenizer_);
  start_->save_description(options_);
}

}  // namespace kette
