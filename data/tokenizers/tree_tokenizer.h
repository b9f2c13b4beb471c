// The tokenizer of a parser, which translates words to trees (data/trees/linear_tree.h). Sources
// are words separated by spaces, whole (data/tokenizers/word_tokenizer.h) or cut into pieces by a
// SentencePiece model. Targets are only symbols separated by spaces, each with its own id. Stored
// as symbols.json (the labels and the tags) beside the files of the words' tokenizer.
#pragma once

#include <map>

#include "data/tokenizers/tokenizer.h"
#include "data/trees/linear_tree.h"

namespace kette {

class TreeTokenizer final : public Tokenizer {
 public:
  using Shared = std::shared_ptr<const TreeTokenizer>;

  static constexpr const char* kFile = "symbols.json";

  /// words: of kind word or sentencepiece. No labels, or a label that is also a tag, are an Error
  /// with `name`.
  TreeTokenizer(SharedTokenizer words, TreeSymbols symbols, const std::string& name);
  static Shared load(const std::filesystem::path& folder);

  std::string kind() const override { return "tree"; }
  Writes writes() const override { return Writes::trees; }
  std::int64_t vocabulary() const override { return std::ssize(spelt_); }
  std::int64_t source_vocabulary() const override { return words_->vocabulary(); }
  SpecialTokens special() const override { return {}; }
  /// Tags: the number of the next word.
  PositionStream second_positions() const override { return {first_tag()}; }
  std::string piece(std::int32_t id) const override;
  std::string source_piece(std::int32_t id) const override { return words_->piece(id); }
  std::string decode(std::span<const std::int32_t> ids) const override;
  std::string decode_source(std::span<const std::int32_t> ids) const override {
    return words_->decode(ids);
  }
  bool is_bpe() const override { return words_->is_bpe(); }
  bool is_bpe(Side side) const override { return side == Side::source && is_bpe(); }
  bool reads_words() const override { return words_->reads_words(); }
  /// For sources.
  std::vector<std::int32_t> resegment(std::span<const std::int32_t> ids, double dropout,
                                      std::uint64_t seed) const override {
    return words_->resegment(ids, dropout, seed);
  }
  std::vector<std::pair<std::string, std::string>> files() const override;

  const TreeSymbols& symbols() const { return symbols_; }
  // A target's ids: opening labels, the closing labels in the same order, then tags.
  std::int64_t labels() const { return std::ssize(symbols_.labels); }
  std::int32_t first_label() const { return kFirst; }
  std::int32_t first_tag() const { return static_cast<std::int32_t>(kFirst + 2 * labels()); }
  bool opens(std::int32_t id) const { return id >= kFirst && id < kFirst + labels(); }
  bool closes(std::int32_t id) const {
    return id >= kFirst + labels() && id < kFirst + 2 * labels();
  }
  bool is_tag(std::int32_t id) const { return id >= first_tag(); }
  std::int32_t closing(std::int32_t opening) const {
    return opening + static_cast<std::int32_t>(labels());
  }

 private:
  /// After padding, unknown, begin and end.
  static constexpr std::int32_t kFirst = 4;

  /// A symbol outside of symbols() is unknown.
  std::vector<std::int32_t> encode_text(std::string_view text, Side side) const override;

  SharedTokenizer words_;
  TreeSymbols symbols_;
  std::vector<std::string> spelt_;  // by id
  std::map<std::string, std::int32_t, std::less<>> ids_;
};

}  // namespace kette
