// Reads a plain file or one packed with gzip, xz or zstd, in pieces. The first bytes decide, not
// the name. A packed file may be several concatenated ones, with zeros after them, and nothing
// else. Errors name the file, and the line where a packed file is cut off.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <vector>

#include "data/files/decoders.h"

namespace kette {

class PackedFile {
 public:
  /// may_be_zip: for a reader that unpacks zip itself; else it is an Error.
  explicit PackedFile(const std::filesystem::path& path, bool may_be_zip = false);

  /// Reads up to `most` bytes; fewer only at the end of the file, then 0.
  std::size_t read(char* to, std::size_t most);
  /// Bytes read of the file on disk, for progress.
  std::int64_t bytes_taken() const;

 private:
  /// Makes at least `least` bytes available, or all that remain.
  void fill(std::size_t least);
  /// Takes available bytes without unpacking.
  std::size_t take(char* to, std::size_t most);
  std::size_t unpack(char* to, std::size_t most);
  /// Whether another part begins here; an Error if anything else does.
  bool begins_part();

  std::filesystem::path path_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
  std::unique_ptr<Decoder> decoder_;  // null for a plain file
  std::vector<unsigned char> buffer_;
  Decoder::Bytes at_hand_;    // the part of the buffer not taken yet
  bool inside_part_ = false;  // else before one or after the last
  std::int64_t bytes_ = 0;    // read from disk
  std::int64_t lines_ = 0;    // line ends read so far
};

/// Throws an Error unless the path exists and is not a directory.
void check_text_file(const std::filesystem::path& path);
/// Likewise, and unless it can be read more than once: a regular file.
void check_can_be_read_again(const std::filesystem::path& path);

/// "train.en" for train.en.gz, train.en.xz and train.en.zst.
std::filesystem::path without_packed_ending(std::filesystem::path file);

}  // namespace kette
