#include "train/text_corpus.h"

#include <algorithm>
#include <cmath>

#include "data/corpora/draws.h"
#include "data/corpora/shard_folder.h"
#include "data/corpora/text_streams.h"
#include "data/corpora/tokenize_files.h"
#include "data/tokenizers/character_tokenizer.h"
#include "data/tokenizers/sentencepiece_tokenizer.h"
#include "tensor/suggestion.h"
#include "train/mixture.h"
#include "train/status_line.h"

namespace kette {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSentencePiece = "sentencepiece";

std::string names_of(const std::vector<fs::path>& files) {
  return joined(files, [](const fs::path& file) { return fs::absolute(file).string(); });
}

/// What stands for each of them: of a folder its list.
std::vector<fs::path> files_of(const std::vector<fs::path>& texts) {
  std::vector<fs::path> files;
  for (const fs::path& text : texts) {
    files.push_back(fs::is_directory(text) ? ShardFolder(text, ShardKind::texts).expected_list()
                                           : text);
  }
  return files;
}

/// Undefined: none is.
SharedTokenizer given_tokenizer(const TextOptions& options) {
  if (options.tokenizer || !options.from.empty()) return options.tokenizer;
  return tokenizer_of(options.text);
}

std::int64_t tokens_in(const std::vector<TokenStream>& texts) {
  std::int64_t tokens = 0;
  for (const TokenStream& text : texts) tokens += text.size();
  return tokens;
}

/// One after the other, of each the first tokens, as many as its size asks for of so many.
TokenStream beginnings(const std::vector<TokenStream>& texts, std::int64_t most) {
  const std::int64_t all = tokens_in(texts);
  const double share = all > most ? static_cast<double>(most) / static_cast<double>(all) : 1;
  std::vector<TokenStream> taken;
  std::int64_t end = 0, taken_end = 0;
  for (const TokenStream& text : texts) {
    end += text.size();
    const std::int64_t until = std::llround(share * static_cast<double>(end));
    taken.push_back(text.part(0, until - taken_end));
    taken_end = until;
  }
  return TokenStream::joined(taken);
}

std::vector<std::vector<double>> shares_of(const TextOptions& options,
                                           const std::vector<TokenStream>& texts) {
  std::vector<std::int64_t> ends;
  std::int64_t end = 0;
  for (const TokenStream& text : texts) ends.push_back(end += text.size());
  return shares_of_stages(options.weights, options.temperature, options.stages, ends);
}

}  // namespace

std::int64_t windows_per_batch(const TextOptions& options, std::int64_t context) {
  KETTE_CHECK(options.batch_tokens >= context, "batch_tokens: expected at least one window of ",
              context, " tokens, given ", options.batch_tokens);
  return options.batch_tokens / context;
}

RunFingerprint fingerprint_of(const TextOptions& options, const ModelConfig& model) {
  RunFingerprint fingerprint;
  fingerprint.add_data("text", files_of(options.text));
  add_mixture(options.weights, options.temperature, fingerprint);
  fingerprint.add_data("valid_text", files_of(options.valid_text));
  fingerprint.add_model(model);
  if (const SharedTokenizer given = given_tokenizer(options)) {
    fingerprint.add("tokenizer", given->fingerprint());
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
  train_ = streams_of(options, options.text, options.are_mixed(), "train");
  std::vector<TokenStream> valid;
  if (options.valid_text.empty()) {
    for (TokenStream& text : train_) {
      const auto kept = static_cast<std::int64_t>(
          std::llround(static_cast<double>(text.size()) * (1 - options.valid_share)));
      valid.push_back(text.part(kept, text.size() - kept));
      text = text.part(0, kept);
    }
  } else {
    valid = streams_of(options, options.valid_text, false, "valid");
  }
  to_validate_on_ = tokens_in(valid);
  valid_ = beginnings(valid, options.valid_tokens);
  shares_ = shares_of(options, train_);
}

const TokenStream& TextCorpus::valid() const {
  KETTE_CHECK(valid_->size() > 0,
              "train: expected text for validation, given none (give --valid-text)");
  return *valid_;
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
  if (const SharedTokenizer given = given_tokenizer(options)) {
    KETTE_CHECK(given->writes() == Writes::text,
                "tokenizer: expected one that reads text, given a parser's");
    return given;
  }
  const auto tokens = std::find_if(options.text.begin(), options.text.end(), are_tokens);
  KETTE_CHECK(
      tokens == options.text.end(), tokens->string(),
      ": expected a tokenizer beside a file of tokens, given none (give --tokenizer as kette tokenize was given it)");
  if (options.tokenizer_kind == "character") {
    return CharacterTokenizer::from_files(options.text, with_mask);
  }
  KETTE_CHECK(options.tokenizer_kind == kSentencePiece,
              "tokenizer: expected character or sentencepiece to make one from the text, given ",
              options.tokenizer_kind);
  SentencePieceOptions settings;
  settings.vocabulary = options.vocabulary;
  settings.mask = with_mask;
  settings.normalization = SentencePieceOptions::Normalization::lossless;
  return SentencePieceTokenizer::train_files({options.text.begin(), options.text.end()}, settings);
}

std::vector<TokenStream> TextCorpus::streams_of(const TextOptions& options,
                                                const std::vector<fs::path>& texts, bool apart,
                                                const std::string& name) {
  const auto encode = [&](const std::vector<fs::path>& files, std::size_t number) {
    const fs::path path =
        options.out / (name + (number > 0 ? "-" + std::to_string(number + 1) : "") + ".tokens");
    const std::string made_of = kette::made_of(files, *tokenizer_, options.documents);
    if (const std::optional<TokenFile> tokens = TokenFile::find(path, made_of)) return *tokens;
    StatusLine line(options.quiet);
    const TokenizeReport report =
        tokenize_files(files, *tokenizer_, options.documents, path, show_on(line), made_of);
    if (!report.marks.empty()) marks_ += "\n" + names_of(files) + ": " + marks_note(report.marks);
    return open_tokens(path, *tokenizer_);
  };
  std::vector<TokenStream> streams =
      text_streams(texts, options.documents, *tokenizer_, apart, encode);
  return apart ? streams : std::vector{TokenStream::joined(streams)};
}

std::string TextCorpus::report() const {
  return std::to_string(tokens_in(train_)) + " tokens to learn from and " +
         std::to_string(to_validate_on_) + " to validate on, " + tokenizer_->kind() +
         " vocabulary of " + std::to_string(tokenizer_->vocabulary()) + marks_;
}

}  // namespace kette
