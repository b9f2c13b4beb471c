// BERT's tokenizer (Devlin et al. 2019, section 3; Schuster and Nakajima 2012, "Japanese and Korean
// Voice Search"), with the ids of Hugging Face's BertTokenizer:
//   clean     no control, format or private characters; all white space is a space
//   part      at white space, around each punctuation mark, and around each Chinese character
//   fold      if set, lower case, and letters without their accents: "Über" is "uber"
//   pieces    of each word the longest piece that begins it, then the longest that continues it,
//             which is written with "##" before it. A word that cannot be cut so, or has more than
//             100 characters, is one unknown piece.
// It reads their files: vocab.txt, one piece per line, and tokenizer_config.json with the settings;
// or tokenizer.json with both. An empty line, or one equal to a later line, keeps its id but
// matches no text. Their program has tables of Unicode 8: it may differ for newer characters, and
// for those whose category has changed since (U+166D, U+1734, U+1885, U+1886, U+A9BD, U+111C9).
#pragma once

#include <unordered_map>

#include "data/tokenizers/token_table.h"
#include "data/tokenizers/tokenizer.h"

namespace kette {

/// As in tokenizer_config.json, with the defaults of transformers.
struct WordPieceSettings {
  bool lower_case = true;             ///< do_lower_case
  std::optional<bool> strip_accents;  ///< unset: as lower_case
  bool parts_chinese = true;          ///< tokenize_chinese_chars

  friend bool operator==(const WordPieceSettings&, const WordPieceSettings&) = default;
};

class WordPieceTokenizer final : public Tokenizer {
 public:
  static constexpr const char* kVocabulary = "vocab.txt";
  static constexpr const char* kSettings = "tokenizer_config.json";

  /// pieces: by id; the last of equal ones is used. Those for padding and masks may be missing; the
  /// unknown piece, [CLS] and [SEP] must exist. name: for the Error.
  WordPieceTokenizer(const std::vector<std::string>& pieces, const WordPieceSettings& settings,
                     const std::string& name);
  static std::shared_ptr<const WordPieceTokenizer> load(const std::filesystem::path& folder);

  std::string kind() const override { return "wordpiece"; }
  std::int64_t vocabulary() const override { return pieces_.size(); }
  SpecialTokens special() const override { return special_; }
  std::optional<std::int32_t> mask() const override;
  std::string piece(std::int32_t id) const override;
  WordEdges edges(std::int32_t id) const override;
  /// Words joined by spaces; the original spacing is lost.
  std::string decode(std::span<const std::int32_t> ids) const override;
  std::vector<std::pair<std::string, std::string>> files() const override;

  const WordPieceSettings& settings() const { return settings_; }

 private:
  std::vector<std::int32_t> encode_text(std::string_view text, Side side) const override;
  void append_word(std::u32string_view word, std::vector<std::int32_t>& ids) const;
  bool is_mark(std::int32_t id) const;
  std::int32_t find(std::string_view piece) const;

  TokenTable pieces_;
  std::unordered_map<std::int32_t, std::int32_t> last_of_;  // by the first of equal pieces
  WordPieceSettings settings_;
  SpecialTokens special_;
  std::int32_t mask_ = SpecialTokens::kNone;
};

}  // namespace kette
