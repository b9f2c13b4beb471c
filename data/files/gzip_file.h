// A plain or gzip file, read in pieces through zlib, which passes plain content on as it is; gzip
// is told by its first bytes, not by its name. Every error names the file, and the line where a
// gzip file ends too early.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>

struct gzFile_s;  // zlib's

namespace kette {

class GzipFile {
 public:
  explicit GzipFile(const std::filesystem::path& path);
  ~GzipFile();
  GzipFile(const GzipFile&) = delete;
  GzipFile& operator=(const GzipFile&) = delete;

  /// Reads up to `most` bytes; fewer only at the end of the file, where there are none.
  std::size_t read(char* to, std::size_t most);
  /// Bytes read of the file as it lies on disk, to say how far reading has come.
  std::int64_t bytes_taken() const;

 private:
  void check() const;

  std::filesystem::path path_;
  gzFile_s* file_;
  std::int64_t lines_ = 0;  // line ends read so far
};

/// Throws an Error unless there is something at this path that is not a directory.
void check_text_file(const std::filesystem::path& path);

}  // namespace kette
