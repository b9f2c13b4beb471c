// Byte strings by id, and ids by byte string: open addressing over hashes, with all strings in one
// block, so that a look-up touches two or three cache lines. Immutable.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kette {

/// A hash of bytes; all of its bits are well mixed.
std::uint64_t hash_bytes(std::string_view text);

class TokenTable {
 public:
  static constexpr std::int32_t kNone = -1;

  TokenTable() = default;
  /// String i gets the id i. find() returns the first of equal strings.
  explicit TokenTable(const std::vector<std::string>& tokens);

  std::int64_t size() const { return static_cast<std::int64_t>(starts_.size()) - 1; }
  std::string_view text(std::int32_t id) const {
    const auto i = static_cast<std::size_t>(id);
    return {bytes_.data() + starts_[i], starts_[i + 1] - starts_[i]};
  }
  /// kNone if there is no such string.
  std::int32_t find(std::string_view text) const { return find(text, hash_bytes(text)); }
  std::int32_t find(std::string_view text, std::uint64_t hash) const;

 private:
  struct Slot {
    std::uint32_t tag = 0;  // bits of the hash that do not choose the slot
    std::int32_t id = kNone;
  };

  std::string bytes_;
  std::vector<std::size_t> starts_ = {0};
  std::vector<Slot> slots_ = std::vector<Slot>(1);  // a power of two
};

}  // namespace kette
