// ZIP archives for tests: names and contents, stored as they are.
#pragma once

#include <zlib.h>

#include <string>
#include <vector>

namespace kette::testing {

inline std::string little_endian(std::size_t value, int bytes) {
  std::string made;
  for (int i = 0; i < bytes; ++i, value >>= 8) made += static_cast<char>(value);
  return made;
}

/// How an entry lies in the archive: packed, and how long and with what checksum it says to be.
struct ZipItem {
  std::string name, packed;
  std::size_t method = 0, size = 0, checksum = 0, flags = 0;
};

inline ZipItem stored(const std::string& name, const std::string& content) {
  const auto sum =
      crc32(0, reinterpret_cast<const Bytef*>(content.data()), static_cast<uInt>(content.size()));
  return {name, content, 0, content.size(), sum, 0};
}

inline std::string tiny_zip(const std::vector<ZipItem>& items) {
  std::string out, directory;
  for (const ZipItem& item : items) {
    // Version, flags, method, time, date, checksum, sizes, lengths of name and extra field.
    const std::string numbers = little_endian(20, 2) + little_endian(item.flags, 2) +
                                little_endian(item.method, 2) + little_endian(0x21, 4) +
                                little_endian(item.checksum, 4) +
                                little_endian(item.packed.size(), 4) + little_endian(item.size, 4) +
                                little_endian(item.name.size(), 2) + little_endian(0, 2);
    directory += "PK\1\2" + little_endian(20, 2) + numbers + little_endian(0, 10) +
                 little_endian(out.size(), 4) + item.name;
    out += "PK\3\4" + numbers + item.name + item.packed;
  }
  const std::size_t begin = out.size();
  return out + directory + "PK\5\6" + little_endian(0, 4) + little_endian(items.size(), 2) +
         little_endian(items.size(), 2) + little_endian(directory.size(), 4) +
         little_endian(begin, 4) + little_endian(0, 2);
}

}  // namespace kette::testing
