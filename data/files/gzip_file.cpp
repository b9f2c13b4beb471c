#include "data/files/gzip_file.h"

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "tensor/error.h"

namespace kette {

void check_text_file(const std::filesystem::path& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  KETTE_CHECK(std::filesystem::exists(status), path.string(),
              ": expected a text file, given a path where there is none");
  KETTE_CHECK(!std::filesystem::is_directory(status), path.string(),
              ": expected a text file, given a directory");
}

GzipFile::GzipFile(const std::filesystem::path& path) : path_(path) {
  check_text_file(path);
  file_ = gzopen(path.c_str(), "rb");
  KETTE_CHECK(file_ != nullptr, path.string(),
              ": expected a readable file, given one that is not (", std::strerror(errno), ")");
  gzbuffer(file_, 1 << 18);
}

GzipFile::~GzipFile() { gzclose(file_); }

std::size_t GzipFile::read(char* to, std::size_t most) {
  const int count = gzread(file_, to, static_cast<unsigned>(most));
  if (count <= 0) {
    check();
    return 0;
  }
  lines_ += std::count(to, to + count, '\n');
  return static_cast<std::size_t>(count);
}

// Of a plain file gzoffset() counts what is still in zlib's buffer, too.
std::int64_t GzipFile::bytes_taken() const {
  return gzdirect(file_) != 0 ? gztell(file_) : gzoffset(file_);
}

void GzipFile::check() const {
  int code = Z_OK;
  const char* message = gzerror(file_, &code);
  if (code == Z_OK || code == Z_STREAM_END) return;
  if (code == Z_ERRNO) {
    fail(path_.string(), ": expected a readable file, given one that is not (",
         std::strerror(errno), ")");
  }
  if (code == Z_BUF_ERROR) {
    fail(path_.string(), ":", lines_ + 1,
         ": expected a whole gzip file, given one that ends in this line",
         " (it is truncated: copy or download it again)");
  }
  fail(path_.string(), ": expected a sound gzip file, given a damaged one (", message,
       "; copy or download it again)");
}

}  // namespace kette
