#include "data/tokenizers/text_tokenizer.h"

#include "data/files/block_checksums.h"
#include "data/tokenizers/byte_tokenizer.h"
#include "data/tokenizers/character_tokenizer.h"
#include "data/tokenizers/gpt2_tokenizer.h"
#include "data/tokenizers/sentencepiece_text_tokenizer.h"
#include "tensor/error.h"

namespace kette {

std::string tokenizer_fingerprint(const std::string& kind, std::int64_t vocabulary,
                                  const std::vector<std::pair<std::string, std::string>>& files) {
  std::uint32_t sum = 0;
  for (const auto& [name, content] : files) sum = checksum_of(content, checksum_of(name, sum));
  return kind + " " + std::to_string(vocabulary) + " " + hexadecimal(sum);
}

std::string TextTokenizer::fingerprint() const {
  return tokenizer_fingerprint(kind(), vocabulary(), files());
}

void TextTokenizer::check_ids(std::span<const std::int32_t> ids) const {
  for (const std::int32_t id : ids) {
    KETTE_CHECK(id >= 0 && id < vocabulary(), kind(), " tokenizer: expected an id from 0 to ",
                vocabulary() - 1, ", given ", id);
  }
}

SharedTextTokenizer load_text_tokenizer(const std::string& kind,
                                        const std::filesystem::path& folder) {
  if (kind == "byte") return std::make_shared<ByteTokenizer>();
  if (kind == "character") return CharacterTokenizer::load(folder);
  if (kind == "sentencepiece") return SentencePieceTextTokenizer::load(folder);
  if (kind == "gpt2") return Gpt2Tokenizer::load(folder);
  fail("tokenizer: expected byte, character, sentencepiece or gpt2, given ", kind);
}

}  // namespace kette
