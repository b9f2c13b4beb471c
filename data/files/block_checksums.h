// The CRC-32 of each block of data that is too large to be read before it is used: a part that is
// read is known to be sound without a look at the rest.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace kette {

inline constexpr std::uint64_t kChecksumBlockBytes = std::uint64_t{1} << 16;

/// CRC-32 of zlib, going on from that of what came before.
std::uint32_t checksum_of(std::string_view bytes, std::uint32_t so_far = 0);
/// Its eight digits.
std::string hexadecimal(std::uint32_t checksum);

/// Of data that is written piece by piece.
class BlockChecksumWriter {
 public:
  void add(std::string_view bytes);
  /// Four bytes a block, the last of which may be short.
  const std::string& table() const { return table_; }

 private:
  std::string table_;
  std::uint64_t filled_ = 0;  // bytes of the last block
};

/// Checks each block once, at the first read in it. Safe to use from several threads.
class BlockChecksums {
 public:
  /// read(to, bytes, offset): from the data, which has `bytes` bytes.
  using Read = std::function<void(char* to, std::uint64_t bytes, std::uint64_t offset)>;

  BlockChecksums(std::string name, std::string table, std::uint64_t bytes);
  /// Throws unless all blocks that [offset, offset + bytes) touches are as they were written.
  void check(std::uint64_t offset, std::uint64_t bytes, const Read& read) const;

 private:
  std::string name_, table_;
  std::uint64_t bytes_;
  mutable std::vector<std::atomic<bool>> is_sound_;
};

}  // namespace kette
