#include "train/text_corpus.h"

#include <cmath>

#include "data/corpora/tokenize_files.h"
#include "data/files/file_fingerprint.h"
#include "data/files/text_source.h"
#include "data/files/utf8.h"
#include "data/tokenizers/character_tokenizer.h"
#include "data/tokenizers/sentencepiece_tokenizer.h"
#include "tensor/suggestion.h"
#include "train/status_line.h"

namespace kette {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSentencePiece = "sentencepiece";

/// One after the other, each without its byte order mark and, where lines matter, with an end of its last one.
std::string joined_text(const std::vector<fs::path>& files, bool in_lines) {
  std::string text;
  for (const fs::path& file : files) {
    if (in_lines && !text.empty() && text.back() != '\n') text += '\n';
    const std::size_t begin = text.size();
    TextSource source(file);
    while (source.append_to(text)) {
    }
    if (std::string_view(text).substr(begin).starts_with(kByteOrderMark)) {
      text.erase(begin, kByteOrderMark.size());
    }
  }
  return text;
}

std::string names_of(const std::vector<fs::path>& files) {
  return joined(files, [](const fs::path& file) { return fs::absolute(file).string(); });
}

}  // namespace

std::int64_t windows_per_batch(const TextOptions& options, std::int64_t context) {
  KETTE_CHECK(options.batch_tokens >= context, "batch_tokens: expected at least one window of ",
              context, " tokens, given ", options.batch_tokens);
  return options.batch_tokens / context;
}

RunFingerprint fingerprint_of(const TextOptions& options, const ModelConfig& model) {
  RunFingerprint fingerprint;
  fingerprint.add_data("text", options.text);
  fingerprint.add_data("valid_text", options.valid_text);
  fingerprint.add_model(model);
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

TextCorpus::TextCorpus(const TextOptions& options, const RunFolder& folder, bool with_mask)
    : tokenizer_(make_tokenizer(options, folder, with_mask)) {
  train_ = tokens_of(options, options.text, "train.tokens");
  if (options.valid_text.empty()) {
    const auto kept = static_cast<std::int64_t>(
        std::llround(static_cast<double>(train_->size()) * (1 - options.valid_share)));
    valid_ = train_->part(kept, train_->size() - kept);
    train_ = train_->part(0, kept);
  } else {
    valid_ = tokens_of(options, options.valid_text, "valid.tokens");
  }
  valid_tokens_ = std::min(options.valid_tokens, valid_->size());
}

std::int64_t TextCorpus::valid_tokens() const {
  KETTE_CHECK(valid_tokens_ > 0,
              "train: expected text for validation, given none (give --valid-text)");
  return valid_tokens_;
}

SharedTokenizer TextCorpus::make_tokenizer(const TextOptions& options, const RunFolder& folder,
                                           bool with_mask) const {
  if (folder.resumes()) {
    return load_tokenizer(options.out, read_tokenizer_description(options.out).kind);
  }
  if (!options.from.empty()) {
    KETTE_CHECK(!options.tokenizer,
                "tokenizer: expected none beside a model to start from, which has its own, given ",
                options.tokenizer->kind());
    return load_tokenizer(options.from, read_tokenizer_description(options.from).kind);
  }
  if (options.tokenizer) {
    KETTE_CHECK(options.tokenizer->kind() != "tree",
                "tokenizer: expected one that reads text, given a parser's");
    return options.tokenizer;
  }
  KETTE_CHECK(
      !are_tokens(options.text, options.documents), options.text.front().string(),
      ": expected a tokenizer beside a file of tokens, given none (give --tokenizer as kette tokenize was given it)");
  if (options.tokenizer_kind == "character") {
    return CharacterTokenizer::from_text(joined_text(options.text, false), names_of(options.text),
                                         with_mask);
  }
  KETTE_CHECK(options.tokenizer_kind == kSentencePiece,
              "tokenizer: expected character or sentencepiece to make one from the text, given ",
              options.tokenizer_kind);
  SentencePieceOptions settings;
  settings.vocabulary = options.vocabulary;
  settings.mask = with_mask;
  return SentencePieceTokenizer::train_text(joined_text(options.text, true), settings);
}

TokenFile TextCorpus::tokens_of(const TextOptions& options, const std::vector<fs::path>& files,
                                const char* name) {
  if (are_tokens(files, options.documents)) return open_tokens(files.front(), *tokenizer_);
  const fs::path path = options.out / name;
  const std::string made_of = file_fingerprint(files) + "; " + tokenizer_->fingerprint() +
                              "; documents " + enum_name(options.documents);
  if (!were_made_of(path, made_of)) {
    StatusLine line(options.quiet);
    const TokenizeReport report =
        tokenize_files(files, *tokenizer_, options.documents, path, show_on(line), made_of);
    if (!report.marks.empty()) marks_ += "\n" + names_of(files) + ": " + marks_note(report);
  }
  return open_tokens(path, *tokenizer_);
}

std::string TextCorpus::report() const {
  return std::to_string(train_->size()) + " tokens to learn from and " +
         std::to_string(valid_->size()) + " to validate on, " + tokenizer_->kind() +
         " vocabulary of " + std::to_string(tokenizer_->vocabulary()) + marks_;
}

}  // namespace kette
