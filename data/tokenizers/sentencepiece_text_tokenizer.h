// A SentencePiece model (data/tokenizers/tokenizer.h) as the tokenizer of a language model; the end of a text
// is </s>. A model trained lossless gives every byte string back: whatever its pieces cannot spell
// goes by the 256 byte pieces. A newline is one of these, <0x0A>, so that it costs one id as a
// symbol of its own would, without another row in the vocabulary, and lines are encoded apart, on
// all threads. Any other model loses what its normalisation does.
#pragma once

#include <array>

#include "data/tokenizers/text_tokenizer.h"
#include "data/tokenizers/tokenizer.h"

namespace kette {

class SentencePieceTextTokenizer final : public TextTokenizer {
 public:
  explicit SentencePieceTextTokenizer(Tokenizer model);
  /// Reads tokenizer.model.
  static std::shared_ptr<const SentencePieceTextTokenizer> load(
      const std::filesystem::path& folder);
  /// Trains lossless on the lines of a text, or a sample of them (TokenizerOptions), whatever
  /// options.normalization says.
  static std::shared_ptr<const SentencePieceTextTokenizer> train(std::string_view text,
                                                                 TokenizerOptions options);

  std::string kind() const override { return "sentencepiece"; }
  std::int64_t vocabulary() const override { return model_.vocab_size(); }
  std::int32_t end_of_text() const override { return model_.special().end; }
  std::vector<std::int32_t> encode(std::string_view text) const override;
  std::string decode(std::span<const std::int32_t> ids) const override;
  std::vector<std::pair<std::string, std::string>> files() const override;

  bool is_lossless() const { return lossless_; }

 private:
  void find_bytes();
  std::vector<std::int32_t> encode_parts(std::string_view text) const;
  std::string spell(std::span<const std::int32_t> ids) const;

  Tokenizer model_;
  std::array<std::int32_t, 256> byte_ids_{};  // where the model has byte pieces
  std::vector<std::string> spelt_;            // what each id stands for, then
  bool lossless_ = false;
};

}  // namespace kette
