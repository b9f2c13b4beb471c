#include "data/tokenizers/byte_tokenizer.h"

namespace kette {

std::vector<std::int32_t> ByteTokenizer::encode_text(std::string_view text, Side) const {
  const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
  return {bytes, bytes + text.size()};
}

std::string ByteTokenizer::decode(std::span<const std::int32_t> ids) const {
  check_ids(ids);
  std::string text;
  text.reserve(ids.size());
  for (const std::int32_t id : ids) {
    if (id != kEndOfText) text += static_cast<char>(id);
  }
  return text;
}

}  // namespace kette
