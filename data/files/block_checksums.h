// CRC-32 per block, for data that is too large to read before use: a part can be verified without
// reading the rest.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace kette {

inline constexpr std::uint64_t kChecksumBlockBytes = std::uint64_t{1} << 16;

/// zlib's CRC-32, continued from `so_far`.
std::uint32_t checksum_of(std::string_view bytes, std::uint32_t so_far = 0);
/// Its eight hexadecimal digits.
std::string hexadecimal(std::uint32_t checksum);

/// For data that is written in pieces.
class BlockChecksumWriter {
 public:
  void add(std::string_view bytes);
  /// Four bytes per block; the last block may be short.
  const std::string& table() const { return table_; }

 private:
  std::string table_;
  std::uint64_t filled_ = 0;  // bytes of the last block
};

/// Checks each block once, at the first read from it. Thread-safe.
class BlockChecksums {
 public:
  /// read(to, bytes, offset) reads `bytes` bytes of the data.
  using Read = std::function<void(char* to, std::uint64_t bytes, std::uint64_t offset)>;

  BlockChecksums(std::string name, std::string table, std::uint64_t bytes);
  /// Throws unless all blocks that overlap [offset, offset + bytes) are as written.
  void check(std::uint64_t offset, std::uint64_t bytes, const Read& read) const;

 private:
  std::string name_, table_;
  std::uint64_t bytes_;
  mutable std::vector<std::atomic<bool>> is_sound_;
};

}  // namespace kette
