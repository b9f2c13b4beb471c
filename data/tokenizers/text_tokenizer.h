// Text as ids for a language model, and back. Four kinds go by one interface:
//   byte           256 bytes; needs no file
//   character      the characters of its training text (Karpathy's char-rnn)
//   sentencepiece  data/tokenizers/tokenizer.h, trained so that every text comes back whole
//   gpt2           byte-level BPE (Radford et al. 2019, section 2.2), from OpenAI's or Hugging
//                  Face's two files
// Marks such as <|endoftext|> are plain text to encode(), so no text can end its own document.
// Never changed, safe to use from several threads.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kette {

class TextTokenizer {
 public:
  virtual ~TextTokenizer() = default;

  /// "byte", "character", "sentencepiece" or "gpt2".
  virtual std::string kind() const = 0;
  virtual std::int64_t vocabulary() const = 0;
  /// Stands between documents, and before the first token of a text that starts with nothing.
  virtual std::int32_t end_of_text() const = 0;

  /// Text that the vocabulary cannot spell is an Error that shows it and says where it stands.
  virtual std::vector<std::int32_t> encode(std::string_view text) const = 0;
  /// The bytes that the ids stand for; end_of_text stands for none. An id outside the vocabulary is
  /// an Error. Ids cut anywhere may give half a character.
  virtual std::string decode(std::span<const std::int32_t> ids) const = 0;

  /// Names and contents of the files that a model directory keeps of it.
  virtual std::vector<std::pair<std::string, std::string>> files() const = 0;

  /// The same for tokenizers that give the same ids: kind, vocabulary and a CRC-32 of the files.
  std::string fingerprint() const;

 protected:
  /// Throws unless every id is in the vocabulary.
  void check_ids(std::span<const std::int32_t> ids) const;
};

/// Of the files that a model directory keeps of a tokenizer, by name and content.
std::string tokenizer_fingerprint(const std::string& kind, std::int64_t vocabulary,
                                  const std::vector<std::pair<std::string, std::string>>& files);

using SharedTextTokenizer = std::shared_ptr<const TextTokenizer>;

/// Reads the files of a kind from a model directory.
SharedTextTokenizer load_text_tokenizer(const std::string& kind,
                                        const std::filesystem::path& folder);

}  // namespace kette
