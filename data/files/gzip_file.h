// A plain or gzip file, read in pieces through zlib; gzip is told by its first bytes, not by its name.
// It may be several gzip files one behind the other (RFC 1952, section 2.2), with zeros behind them, and
// nothing else. Every error names the file, and the line where a gzip file ends too early.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <vector>

struct z_stream_s;  // zlib's

namespace kette {

class GzipFile {
 public:
  explicit GzipFile(const std::filesystem::path& path);

  /// Reads up to `most` bytes; fewer only at the end of the file, where there are none.
  std::size_t read(char* to, std::size_t most);
  /// Bytes read of the file as it lies on disk, to say how far reading has come.
  std::int64_t bytes_taken() const;

 private:
  /// Where the reader is: in a plain file, before a part of a gzip file or behind the last one, or within one.
  enum class Place { plain, between, within };

  /// Has at least `least` bytes at hand, or all that there are.
  void fill(std::size_t least);
  std::size_t at_hand() const;
  /// Whether the next bytes are those that a gzip file begins with.
  bool is_magic_at_hand();
  /// What there is at hand, as it is.
  std::size_t take(char* to, std::size_t most);
  std::size_t inflate_some(char* to, std::size_t most);
  /// Whether another part begins here; an Error where something else does.
  bool begins_part();

  std::filesystem::path path_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
  std::unique_ptr<z_stream_s, int (*)(z_stream_s*)> stream_;
  std::vector<unsigned char>
      buffer_;  // what was read of the file; the stream knows what is left of it
  Place place_ = Place::plain;
  std::int64_t bytes_ = 0;  // read of it
  std::int64_t lines_ = 0;  // line ends read so far
};

/// Throws an Error unless there is something at this path that is not a directory.
void check_text_file(const std::filesystem::path& path);

}  // namespace kette
