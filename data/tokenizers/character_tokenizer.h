// The characters (Unicode code points) of a training text as ids, in their order; the last id
// stands for the end of a text. After Karpathy's char-rnn. Kept as characters.json, a list of
// strings.
#pragma once

#include "data/tokenizers/tokenizer.h"

namespace kette {

class CharacterTokenizer final : public Tokenizer {
 public:
  /// name stands in the error when the text is empty or not UTF-8.
  static std::shared_ptr<const CharacterTokenizer> from_text(std::string_view text,
                                                             const std::string& name);
  static std::shared_ptr<const CharacterTokenizer> load(const std::filesystem::path& folder);

  std::string kind() const override { return "character"; }
  std::int64_t vocabulary() const override { return end() + 1; }
  SpecialTokens special() const override { return SpecialTokens::of_end(end()); }
  std::string decode(std::span<const std::int32_t> ids) const override;
  std::vector<std::pair<std::string, std::string>> files() const override;

 private:
  /// A character outside the vocabulary is an Error, and so is what is not UTF-8.
  std::vector<std::int32_t> encode_text(std::string_view text, Side side) const override;
  explicit CharacterTokenizer(std::u32string_view characters);
  std::int32_t end() const { return static_cast<std::int32_t>(spelt_.size()); }

  std::vector<std::string> spelt_;  // by id
  std::vector<std::int32_t> ids_;   // by code point, up to the greatest
};

}  // namespace kette
