// Bytes as ids: 0 to 255, and 256 for the end of a text. It encodes any text and needs no file.
#pragma once

#include "data/tokenizers/tokenizer.h"

namespace kette {

class ByteTokenizer final : public Tokenizer {
 public:
  std::string kind() const override { return "byte"; }
  std::int64_t vocabulary() const override { return kEndOfText + 1; }
  SpecialTokens special() const override { return SpecialTokens::of_end(kEndOfText); }
  std::string decode(std::span<const std::int32_t> ids) const override;
  std::vector<std::pair<std::string, std::string>> files() const override { return {}; }

 private:
  std::vector<std::int32_t> encode_text(std::string_view text, Side side) const override;
  static constexpr std::int32_t kEndOfText = 256;
};

}  // namespace kette
