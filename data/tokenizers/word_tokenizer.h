// Whole words as ids, for text with spaces between words. Rare and unseen words are replaced by
// their looks: capitals, digits, hyphens, endings (Petrov et al. 2006, section 3.3, and parsers
// before it). So every word is one id, and the n-th id is the n-th word. Stored as words.json.
#pragma once

#include <map>

#include "data/tokenizers/tokenizer.h"

namespace kette {

class WordTokenizer final : public Tokenizer {
 public:
  using Shared = std::shared_ptr<const WordTokenizer>;

  static constexpr const char* kFile = "words.json";
  static constexpr std::int64_t kRare =
      1;  ///< a word with at most this count is learnt by its looks
  static constexpr std::int64_t kFewLooks = 5;  ///< looks of fewer rare words are not distinguished

  /// Takes the most frequent words of the lines, at most `vocabulary` ids in all.
  static Shared train(std::span<const std::string_view> lines, std::int64_t vocabulary);
  static Shared load(const std::filesystem::path& folder);

  std::string kind() const override { return "word"; }
  std::int64_t vocabulary() const override { return std::ssize(spelt_); }
  SpecialTokens special() const override { return {}; }
  bool reads_words() const override { return true; }
  std::string piece(std::int32_t id) const override;
  /// Words joined by spaces; looks as "<C-ing>".
  std::string decode(std::span<const std::int32_t> ids) const override;
  std::vector<std::pair<std::string, std::string>> files() const override;

 private:
  WordTokenizer(const std::vector<std::string>& looks, const std::vector<std::string>& words,
                const std::string& name);
  std::vector<std::int32_t> encode_text(std::string_view text, Side side) const override;

  std::size_t looks_;  // their number: ids after padding, unknown, begin and end
  std::vector<std::string> spelt_;
  std::map<std::string, std::int32_t, std::less<>> looks_ids_, words_ids_;
};

}  // namespace kette
