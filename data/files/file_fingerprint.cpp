#include "data/files/file_fingerprint.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "data/files/block_checksums.h"
#include "data/files/packed_file.h"
#include "tensor/error.h"

namespace kette {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kReadWhole = std::uintmax_t{4} << 30;  // in seconds
constexpr std::uintmax_t kBlockBytes = std::uintmax_t{1} << 16;
constexpr std::uintmax_t kSamples = 4096;

std::string format(std::uintmax_t bytes, std::uint32_t sum) {
  return std::to_string(bytes) + " bytes, crc32 " + hexadecimal(sum);
}

}  // namespace

std::string file_fingerprint(const fs::path& path) {
  check_can_be_read_again(path);
  std::ifstream file(path, std::ios::binary);
  const std::uintmax_t size = fs::file_size(path);
  const bool whole = size <= kReadWhole;
  const std::uintmax_t blocks = whole ? (size + kBlockBytes - 1) / kBlockBytes : kSamples;
  std::string content(kBlockBytes, '\0');
  std::uint32_t sum = 0;
  for (std::uintmax_t i = 0; i < blocks; ++i) {
    const std::uintmax_t begin = whole             ? i * kBlockBytes
                                 : i + 1 == blocks ? size - kBlockBytes
                                                   : (size - kBlockBytes) / (kSamples - 1) * i;
    file.seekg(static_cast<std::streamoff>(begin));
    file.read(content.data(), static_cast<std::streamsize>(std::min(kBlockBytes, size - begin)));
    sum = checksum_of({content.data(), static_cast<std::size_t>(file.gcount())}, sum);
  }
  KETTE_CHECK(file.good() || size == 0, path.string(),
              ": expected a readable file, given one that is not (", std::strerror(errno), ")");
  return format(size, sum);
}

std::string file_fingerprint(const std::vector<fs::path>& paths) {
  if (paths.size() == 1) return file_fingerprint(paths.front());
  std::string all;
  std::uintmax_t bytes = 0;
  for (const fs::path& path : paths) {
    all += file_fingerprint(path) + "\n";
    bytes += fs::file_size(path);
  }
  return std::to_string(paths.size()) + " files, " + format(bytes, checksum_of(all));
}

}  // namespace kette
