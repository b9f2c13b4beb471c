// The tokenizer of Marian's translation models as Hugging Face's MarianTokenizer keeps it: the
// SentencePiece models source.spm and target.spm cut text into pieces, and vocab.json, one
// vocabulary for both, maps these to ids. A piece without an id is unknown. The decoder starts with
// the padding. Pieces such as >>deu<< ask for a target language. A model with several of them has
// several target languages and needs one; many models with one target have none or the one, and
// do without.
#pragma once

#include "data/tokenizers/token_table.h"
#include "data/tokenizers/tokenizer.h"

namespace sentencepiece {
class SentencePieceProcessor;
}

namespace kette {

class MarianTokenizer final : public Tokenizer {
 public:
  /// The three files must exist, and the vocabulary must have <pad>, <unk> and </s>.
  explicit MarianTokenizer(const std::filesystem::path& folder);
  ~MarianTokenizer() override;

  std::string kind() const override { return "marian"; }
  std::int64_t vocabulary() const override { return table_.size(); }
  SpecialTokens special() const override { return special_; }
  std::string piece(std::int32_t id) const override;
  std::string decode(std::span<const std::int32_t> ids) const override;
  std::vector<std::pair<std::string, std::string>> files() const override;
  std::optional<std::int32_t> tag_of(const std::string& language) const override;
  std::vector<std::string> languages() const override { return languages_; }
  bool needs_language() const override { return languages_.size() > 1; }
  WrittenTag written_tag(std::string_view text) const override;
  bool is_written_tag(std::int32_t id) const override;

 private:
  /// The target language at the start of a source, >>fra<<, is one piece.
  std::vector<std::int32_t> encode_text(std::string_view text, Side side) const override;
  std::int32_t id_of(std::string_view piece) const;
  /// The target language at the start of a text, with its marks; empty: none.
  std::string_view code_before(std::string_view text) const;

  std::unique_ptr<sentencepiece::SentencePieceProcessor> source_, target_;
  TokenTable table_;
  std::string vocabulary_json_;
  SpecialTokens special_;
  std::vector<std::string> languages_;  // by id
};

}  // namespace kette
