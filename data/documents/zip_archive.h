// A ZIP archive of bytes in memory (PKWARE APPNOTE 6.3), with some of its entries replaced and every other byte of it,
// compressed data too, as it was. Not: ZIP64, several disks; encrypted entries and other methods than deflate are kept
// and cannot be read.
//
// Against bombs: an entry that is read unpacks to at most kMostDocumentBytes, and above 1 MiB to at most kMostRatio times
// its bytes; no more is unpacked than it promised, and no two entries share a byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace kette {

class ZipArchive {
 public:
  static constexpr std::size_t kMostRatio = 250;

  struct Entry {
    std::string name{};
    unsigned flags = 0, method = 0;
    std::uint32_t checksum = 0;
    std::size_t packed = 0, size = 0;          // bytes of the data, and of what it unpacks to
    std::size_t record = 0;                    // in the directory
    std::size_t begin = 0, data = 0, end = 0;  // of the header, of the data, behind all of it
  };

  /// Throws unless the bytes are an archive with a sound directory; the name stands in errors.
  ZipArchive(std::string bytes, std::string name);

  /// In the order of the directory.
  const std::vector<Entry>& entries() const { return entries_; }
  /// Unpacked; an Error for what is damaged or cannot be read.
  std::string content(std::size_t entry) const;
  /// The archive with new contents for some entries, by number.
  std::string with(const std::map<std::size_t, std::string>& contents) const;

 private:
  std::uint32_t number(std::size_t at, int bytes) const;
  std::size_t find_end_record() const;
  void read_directory();
  void read_places();

  std::string bytes_, name_;
  std::vector<Entry> entries_;
  std::vector<std::size_t> by_place_;  // entries as they lie
  std::size_t directory_ = 0, end_record_ = 0;
};

}  // namespace kette
