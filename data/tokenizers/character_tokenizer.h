// The characters (Unicode code points) of a training text as ids, in code point order; the next id
// is the end of a text. After Karpathy's char-rnn. Stored as characters.json, a list of strings. A
// vocabulary for masked words has one more id, "[MASK]" at the end of the list.
#pragma once

#include "data/tokenizers/tokenizer.h"

namespace kette {

class CharacterTokenizer final : public Tokenizer {
 public:
  /// name: for the Error if the text is empty or not UTF-8.
  static std::shared_ptr<const CharacterTokenizer> from_text(std::string_view text,
                                                             const std::string& name,
                                                             bool with_mask = false);
  /// In bounded memory; a byte order mark is no character of a text.
  static std::shared_ptr<const CharacterTokenizer> from_files(
      const std::vector<std::filesystem::path>& files, bool with_mask = false);
  static std::shared_ptr<const CharacterTokenizer> load(const std::filesystem::path& folder);

  std::string kind() const override { return "character"; }
  std::int64_t vocabulary() const override { return end() + (has_mask_ ? 2 : 1); }
  SpecialTokens special() const override { return SpecialTokens::of_end(end()); }
  std::optional<std::int32_t> mask() const override {
    return has_mask_ ? std::optional(end() + 1) : std::nullopt;
  }
  std::string decode(std::span<const std::int32_t> ids) const override;
  std::vector<std::pair<std::string, std::string>> files() const override;

 private:
  /// A character outside the vocabulary is an Error, and so is text that is not UTF-8.
  std::vector<std::int32_t> encode_text(std::string_view text, Side side) const override;
  CharacterTokenizer(std::u32string_view characters, bool has_mask);
  std::int32_t end() const { return static_cast<std::int32_t>(spelt_.size()); }

  std::vector<std::string> spelt_;  // by id
  std::vector<std::int32_t> ids_;   // by code point, up to the greatest
  bool has_mask_;
};

}  // namespace kette
