// BERT's tokenizer (Devlin et al. 2019, section 3; Schuster and Nakajima 2012, "Japanese and Korean
// Voice Search"), with the ids of Hugging Face's BertTokenizer:
//   clean     no control, format or private characters; all white space is a space
//   part      at white space, around each punctuation mark, and around each Chinese character
//   fold      if so set, lower case, and letters without their accents: "Über" is "uber"
//   pieces    of each word the longest of the vocabulary that begins it, then the longest that goes
//             on from there, which is written with "##" before it. A word that comes out in no such
//             way, or of more than 100 characters, is one unknown piece.
// Its files are theirs: vocab.txt, a piece a line, and tokenizer_config.json with the settings; or
// tokenizer.json with both. A line that is empty, or the same as a later one, keeps its number and stands for no text.
// What is no character of Unicode 8, or has another category since (U+166D, U+1734, U+1885, U+1886, U+A9BD, U+111C9), may be seen otherwise by their program, whose
// tables are of that age.
#pragma once

#include <unordered_map>

#include "data/tokenizers/token_table.h"
#include "data/tokenizers/tokenizer.h"

namespace kette {

/// As in tokenizer_config.json, with the defaults of transformers.
struct WordPieceSettings {
  bool lower_case = true;             ///< do_lower_case
  std::optional<bool> strip_accents;  ///< nothing: as lower_case
  bool parts_chinese = true;          ///< tokenize_chinese_chars

  friend bool operator==(const WordPieceSettings&, const WordPieceSettings&) = default;
};

class WordPieceTokenizer final : public Tokenizer {
 public:
  static constexpr const char* kVocabulary = "vocab.txt";
  static constexpr const char* kSettings = "tokenizer_config.json";

  /// pieces: by id; of equal ones the last is found. Those for padding and masks may be missing, the unknown piece, [CLS] and
  /// [SEP] may not. name stands in the error.
  WordPieceTokenizer(const std::vector<std::string>& pieces, const WordPieceSettings& settings,
                     const std::string& name);
  static std::shared_ptr<const WordPieceTokenizer> load(const std::filesystem::path& folder);

  std::string kind() const override { return "wordpiece"; }
  std::int64_t vocabulary() const override { return pieces_.size(); }
  SpecialTokens special() const override { return special_; }
  std::optional<std::int32_t> mask() const override;
  std::string piece(std::int32_t id) const override;
  WordEdges edges(std::int32_t id) const override;
  /// Words with spaces between them; what was between them before is lost.
  std::string decode(std::span<const std::int32_t> ids) const override;
  std::vector<std::pair<std::string, std::string>> files() const override;

  const WordPieceSettings& settings() const { return settings_; }

 private:
  std::vector<std::int32_t> encode_text(std::string_view text, Side side) const override;
  void append_word(std::u32string_view word, std::vector<std::int32_t>& ids) const;
  bool is_mark(std::int32_t id) const;
  std::int32_t find(std::string_view piece) const;

  TokenTable pieces_;
  std::unordered_map<std::int32_t, std::int32_t> last_of_;  // by the first of equal ones
  WordPieceSettings settings_;
  SpecialTokens special_;
  std::int32_t mask_ = SpecialTokens::kNone;
};

}  // namespace kette
