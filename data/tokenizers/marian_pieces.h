// The tokenizer of Marian's translation models as Hugging Face's MarianTokenizer keeps it: the
// SentencePiece models source.spm and target.spm cut text into pieces, and vocab.json, one
// vocabulary for both, gives these their ids. A piece that has none is unknown. The decoder starts
// with the padding.
#pragma once

#include <sentencepiece_processor.h>

#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "data/tokenizers/special_tokens.h"
#include "data/tokenizers/token_table.h"

namespace kette {

class MarianPieces {
 public:
  static bool are_in(const std::filesystem::path& folder);
  /// The three files must be there, and <pad>, <unk> and </s> in the vocabulary.
  explicit MarianPieces(const std::filesystem::path& folder);

  const TokenTable& vocabulary() const { return vocabulary_; }
  SpecialTokens special() const { return special_; }
  std::vector<std::pair<std::string, std::string>> files() const;

  /// The language that a source is to be translated to, >>fra<< at its start, is one piece.
  std::vector<std::int32_t> encode(std::string_view text, bool is_target) const;
  /// Special tokens stand for nothing.
  std::string decode(std::span<const std::int32_t> ids) const;
  /// The unknown piece's when there is no such piece.
  std::int32_t id(std::string_view piece) const;

 private:
  sentencepiece::SentencePieceProcessor source_, target_;
  TokenTable vocabulary_;
  std::string vocabulary_json_;
  SpecialTokens special_;
};

}  // namespace kette
