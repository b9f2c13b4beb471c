#include "data/tokenizers/token_table.h"

#include <bit>
#include <cstring>

#include "tensor/splitmix.h"

namespace kette {
namespace {

template <class Word>
std::uint64_t load(const char* bytes) {
  Word word;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

}  // namespace

// Words of eight bytes, the last one overlapping; short strings as one or two halves.
std::uint64_t hash_bytes(std::string_view text) {
  const char* bytes = text.data();
  const std::size_t size = text.size();
  if (size == 0) return 0;
  if (size < 4) {
    const std::uint64_t word = load<std::uint8_t>(bytes) |
                               load<std::uint8_t>(bytes + size / 2) << 8 |
                               load<std::uint8_t>(bytes + size - 1) << 16;
    return splitmix64(word << 8 | size);
  }
  if (size < 8) {
    const std::uint64_t word =
        load<std::uint32_t>(bytes) << 32 | load<std::uint32_t>(bytes + size - 4);
    return splitmix64(word ^ size);
  }
  std::uint64_t state = size;
  for (std::size_t at = 0; at + 8 < size; at += 8) {
    state = splitmix64(state ^ load<std::uint64_t>(bytes + at));
  }
  return splitmix64(state ^ load<std::uint64_t>(bytes + size - 8));
}

TokenTable::TokenTable(const std::vector<std::string>& tokens) {
  slots_.resize(std::bit_ceil(2 * tokens.size() + 1));
  for (const std::string& token : tokens) {
    const auto id = static_cast<std::int32_t>(size());
    bytes_ += token;
    starts_.push_back(bytes_.size());
    const std::uint64_t hashed = hash_bytes(token);
    std::size_t at = hashed & (slots_.size() - 1);
    while (slots_[at].id != kNone) at = (at + 1) & (slots_.size() - 1);
    slots_[at] = {static_cast<std::uint32_t>(hashed >> 32), id};
  }
}

std::int32_t TokenTable::find(std::string_view token, std::uint64_t hash) const {
  const auto tag = static_cast<std::uint32_t>(hash >> 32);
  std::size_t at = hash & (slots_.size() - 1);
  for (; slots_[at].id != kNone; at = (at + 1) & (slots_.size() - 1)) {
    if (slots_[at].tag == tag && text(slots_[at].id) == token) return slots_[at].id;
  }
  return kNone;
}

}  // namespace kette
