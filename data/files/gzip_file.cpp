#include "data/files/gzip_file.h"

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "tensor/error.h"

namespace kette {
namespace {

constexpr std::size_t kBuffer = 1 << 18;

int end_and_delete(z_stream* stream) {
  const int code = inflateEnd(stream);
  delete stream;
  return code;
}

}  // namespace

void check_text_file(const std::filesystem::path& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  KETTE_CHECK(std::filesystem::exists(status), path.string(),
              ": expected a text file, given a path where there is none");
  KETTE_CHECK(!std::filesystem::is_directory(status), path.string(),
              ": expected a text file, given a directory");
}

GzipFile::GzipFile(const std::filesystem::path& path)
    : path_(path),
      file_(nullptr, &std::fclose),
      stream_(nullptr, &end_and_delete),
      buffer_(kBuffer) {
  check_text_file(path);
  file_.reset(std::fopen(path.c_str(), "rbe"));
  KETTE_CHECK(file_ != nullptr, path.string(),
              ": expected a readable file, given one that is not (", std::strerror(errno), ")");
  stream_.reset(new z_stream());
  constexpr int kGzipAlone = 16;
  const int code = inflateInit2(stream_.get(), MAX_WBITS + kGzipAlone);
  KETTE_CHECK(code == Z_OK, path.string(), ": expected memory to read it with, given none");
  if (is_magic_at_hand()) place_ = Place::within;
}

std::size_t GzipFile::at_hand() const { return stream_->avail_in; }

void GzipFile::fill(std::size_t least) {
  if (at_hand() >= least) return;
  const std::size_t left = at_hand();
  if (left > 0) std::memmove(buffer_.data(), stream_->next_in, left);
  stream_->next_in = buffer_.data();
  const std::size_t count =
      std::fread(buffer_.data() + left, 1, buffer_.size() - left, file_.get());
  KETTE_CHECK(std::ferror(file_.get()) == 0, path_.string(),
              ": expected a readable file, given one that is not (", std::strerror(errno), ")");
  bytes_ += static_cast<std::int64_t>(count);
  stream_->avail_in += static_cast<unsigned>(count);
}

bool GzipFile::is_magic_at_hand() {
  fill(2);
  return at_hand() >= 2 && stream_->next_in[0] == 0x1f && stream_->next_in[1] == 0x8b;
}

std::size_t GzipFile::take(char* to, std::size_t most) {
  fill(1);
  const std::size_t count = std::min(most, at_hand());
  std::copy_n(stream_->next_in, count, to);
  stream_->next_in += count;
  stream_->avail_in -= static_cast<unsigned>(count);
  return count;
}

bool GzipFile::begins_part() {
  if (is_magic_at_hand()) {
    KETTE_CHECK(inflateReset(stream_.get()) == Z_OK, path_.string(), ": inflateReset failed");
    return true;
  }
  // Archives on tapes end in zeros.
  for (char byte = 0; take(&byte, 1) == 1;) {
    KETTE_CHECK(byte == 0, path_.string(), ":", lines_ + 1,
                ": expected the end of the file, or another gzip file behind the first, given "
                "something else (it is damaged, or plain text was appended)");
  }
  return false;
}

std::size_t GzipFile::inflate_some(char* to, std::size_t most) {
  stream_->next_out = reinterpret_cast<unsigned char*>(to);
  stream_->avail_out = static_cast<unsigned>(most);
  while (stream_->avail_out == most) {
    if (place_ == Place::between && !begins_part()) return 0;
    place_ = Place::within;
    fill(1);
    const int code = inflate(stream_.get(), Z_NO_FLUSH);
    if (code == Z_STREAM_END) {
      place_ = Place::between;
    } else if (code == Z_BUF_ERROR) {  // there is no more to read
      fail(path_.string(), ":", lines_ + 1,
           ": expected a whole gzip file, given one that ends in this line",
           " (it is truncated: copy or download it again)");
    } else if (code != Z_OK) {
      fail(path_.string(), ": expected a sound gzip file, given a damaged one (",
           stream_->msg != nullptr ? stream_->msg : "unknown", "; copy or download it again)");
    }
  }
  return most - stream_->avail_out;
}

std::size_t GzipFile::read(char* to, std::size_t most) {
  std::size_t done = 0;
  while (done < most) {
    const std::size_t count = place_ == Place::plain ? take(to + done, most - done)
                                                     : inflate_some(to + done, most - done);
    if (count == 0) break;
    lines_ += std::count(to + done, to + done + count, '\n');
    done += count;
  }
  return done;
}

std::int64_t GzipFile::bytes_taken() const { return bytes_ - static_cast<std::int64_t>(at_hand()); }

}  // namespace kette
