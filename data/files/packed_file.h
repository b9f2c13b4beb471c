// A file that is plain or packed with gzip, xz or zstd, read in pieces; told by its first bytes, not by its name. A packed
// one may be several files one behind the other, with zeros behind them, and nothing else. Every error names the file, and
// the line where a packed file ends too early.
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
  explicit PackedFile(const std::filesystem::path& path);

  /// Reads up to `most` bytes; fewer only at the end of the file, where there are none.
  std::size_t read(char* to, std::size_t most);
  /// Bytes read of the file as it lies on disk, to say how far reading has come.
  std::int64_t bytes_taken() const;

 private:
  /// Has at least `least` bytes at hand, or all that there are.
  void fill(std::size_t least);
  /// What there is at hand, as it is.
  std::size_t take(char* to, std::size_t most);
  std::size_t unpack(char* to, std::size_t most);
  /// Whether another part begins here; an Error where something else does.
  bool begins_part();

  std::filesystem::path path_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
  std::unique_ptr<Decoder> decoder_;  // none of a plain file
  std::vector<unsigned char> buffer_;
  Decoder::Bytes at_hand_;    // of the buffer what was not taken yet
  bool inside_part_ = false;  // else before one, or behind the last one
  std::int64_t bytes_ = 0;    // read of it
  std::int64_t lines_ = 0;    // line ends read so far
};

/// Throws an Error unless there is something at this path that is not a directory.
void check_text_file(const std::filesystem::path& path);

/// "train.en" of train.en.gz, train.en.xz and train.en.zst.
std::filesystem::path without_packed_ending(std::filesystem::path file);

}  // namespace kette
