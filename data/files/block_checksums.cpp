#include "data/files/block_checksums.h"

#include <zlib.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <utility>

#include "tensor/error.h"

namespace kette {
namespace {

constexpr std::size_t kSumBytes = sizeof(std::uint32_t);

std::uint32_t sum_at(const std::string& table, std::uint64_t block) {
  std::uint32_t sum = 0;
  std::memcpy(&sum, table.data() + block * kSumBytes, kSumBytes);
  return sum;
}

}  // namespace

std::uint32_t checksum_of(std::string_view bytes, std::uint32_t so_far) {
  return static_cast<std::uint32_t>(
      crc32_z(so_far, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

std::string hexadecimal(std::uint32_t checksum) {
  char digits[9];
  std::snprintf(digits, sizeof digits, "%08x", checksum);
  return digits;
}

void BlockChecksumWriter::add(std::string_view bytes) {
  while (!bytes.empty()) {
    if (filled_ == 0) table_.append(kSumBytes, '\0');
    char* last = table_.data() + table_.size() - kSumBytes;
    const std::string_view part = bytes.substr(0, kChecksumBlockBytes - filled_);
    const std::uint32_t sum = checksum_of(part, sum_at(table_, table_.size() / kSumBytes - 1));
    std::memcpy(last, &sum, kSumBytes);
    filled_ = (filled_ + part.size()) % kChecksumBlockBytes;
    bytes.remove_prefix(part.size());
  }
}

BlockChecksums::BlockChecksums(std::string name, std::string table, std::uint64_t bytes)
    : name_(std::move(name)),
      table_(std::move(table)),
      bytes_(bytes),
      is_sound_((bytes + kChecksumBlockBytes - 1) / kChecksumBlockBytes) {
  KETTE_CHECK(table_.size() == is_sound_.size() * kSumBytes, name_, ": expected ", is_sound_.size(),
              " checksums, one for each block, given ", table_.size(), " bytes");
}

void BlockChecksums::check(std::uint64_t offset, std::uint64_t bytes, const Read& read) const {
  std::string content;
  for (std::uint64_t at = offset / kChecksumBlockBytes * kChecksumBlockBytes; at < offset + bytes;
       at += kChecksumBlockBytes) {
    const std::uint64_t block = at / kChecksumBlockBytes;
    if (is_sound_[block].load(std::memory_order_relaxed)) continue;
    content.resize(std::min(kChecksumBlockBytes, bytes_ - at));
    read(content.data(), content.size(), at);
    KETTE_CHECK(checksum_of(content) == sum_at(table_, block), name_, ": expected bytes ", at,
                " to ", at + content.size() - 1,
                " of its data as they were written, given others (the file is damaged: make it",
                " again)");
    is_sound_[block].store(true, std::memory_order_relaxed);
  }
}

}  // namespace kette
