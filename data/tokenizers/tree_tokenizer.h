// The tokenizer of a parser, which translates words to trees (data/trees/linear_tree.h). Sources are
// words with spaces between them, whole (data/tokenizers/word_tokenizer.h) or cut into pieces by a SentencePiece
// model; targets are symbols with spaces between them, each with an id of its own, and there is no other text
// of them. Kept as symbols.json, the labels and the tags, beside the files of the words' tokenizer.
#pragma once

#include <map>

#include "data/tokenizers/tokenizer.h"
#include "data/trees/linear_tree.h"

namespace kette {

class TreeTokenizer final : public Tokenizer {
 public:
  using Shared = std::shared_ptr<const TreeTokenizer>;

  static constexpr const char* kFile = "symbols.json";

  /// words: of the kind word or sentencepiece. No label, or one that is a tag, too, is an Error; name stands in it.
  TreeTokenizer(SharedTokenizer words, TreeSymbols symbols, const std::string& name);
  static Shared load(const std::filesystem::path& folder);

  std::string kind() const override { return "tree"; }
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
  /// Of sources.
  std::vector<std::int32_t> resegment(std::span<const std::int32_t> ids, double dropout,
                                      std::uint64_t seed) const override {
    return words_->resegment(ids, dropout, seed);
  }
  std::vector<std::pair<std::string, std::string>> files() const override;

  const TreeSymbols& symbols() const { return symbols_; }
  // What a target's id does: labels that open, as many that close in the same order, then tags.
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

  /// A symbol that no training tree has is unknown.
  std::vector<std::int32_t> encode_text(std::string_view text, Side side) const override;

  SharedTokenizer words_;
  TreeSymbols symbols_;
  std::vector<std::string> spelt_;  // by id
  std::map<std::string, std::int32_t, std::less<>> ids_;
};

}  // namespace kette
