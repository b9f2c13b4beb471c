// A ZIP archive in memory (PKWARE APPNOTE 6.3). It can replace some entries and keeps every other
// byte, compressed data too. No ZIP64 and no several disks; encrypted entries and other methods
// than deflate are kept but cannot be read.
//
// Against bombs: an entry unpacks to at most kMostDocumentBytes and, above 1 MiB, to at most
// kMostRatio times its bytes; never to more than its header says. No two entries may overlap.
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
    std::size_t packed = 0, size = 0;          // bytes of the data, packed and unpacked
    std::size_t record = 0;                    // in the directory
    std::size_t begin = 0, data = 0, end = 0;  // of the header, of the data, of the entry's end
  };

  /// Throws unless the bytes are an archive with a valid directory. name: for errors.
  ZipArchive(std::string bytes, std::string name);

  /// In the order of the directory.
  const std::vector<Entry>& entries() const { return entries_; }
  /// The unpacked entry; an Error if it is damaged or cannot be read.
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
  std::vector<std::size_t> by_place_;  // entries in file order
  std::size_t directory_ = 0, end_record_ = 0;
};

}  // namespace kette
