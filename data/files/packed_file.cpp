#include "data/files/packed_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "tensor/error.h"

namespace kette {
namespace {

constexpr std::size_t kBuffer = 1 << 18;

}  // namespace

void check_text_file(const std::filesystem::path& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  KETTE_CHECK(std::filesystem::exists(status), path.string(),
              ": expected a text file, given a path where there is none");
  KETTE_CHECK(!std::filesystem::is_directory(status), path.string(),
              ": expected a text file, given a directory");
}

void check_can_be_read_again(const std::filesystem::path& path) {
  check_text_file(path);
  KETTE_CHECK(std::filesystem::is_regular_file(path), path.string(),
              ": expected a file that can be read more than once, given a pipe or a device (write",
              " its content to a file first)");
}

std::filesystem::path without_packed_ending(std::filesystem::path file) {
  const std::filesystem::path ending = file.extension();
  if (ending == ".gz" || ending == ".xz" || ending == ".zst") file.replace_extension();
  return file;
}

PackedFile::PackedFile(const std::filesystem::path& path, bool may_be_zip)
    : path_(path), file_(nullptr, &std::fclose), buffer_(kBuffer) {
  check_text_file(path);
  file_.reset(std::fopen(path.c_str(), "rbe"));
  KETTE_CHECK(file_ != nullptr, path.string(),
              ": expected a readable file, given one that is not (", std::strerror(errno), ")");
  fill(Decoder::kMagicBytes);
  if (!may_be_zip) check_can_be_read(at_hand_, path.string());
  decoder_ = Decoder::of(at_hand_, path.string());
}

void PackedFile::fill(std::size_t least) {
  if (at_hand_.size() >= least) return;
  const std::size_t left = at_hand_.size();
  if (left > 0) std::memmove(buffer_.data(), at_hand_.data(), left);
  const std::size_t count =
      std::fread(buffer_.data() + left, 1, buffer_.size() - left, file_.get());
  KETTE_CHECK(std::ferror(file_.get()) == 0, path_.string(),
              ": expected a readable file, given one that is not (", std::strerror(errno), ")");
  bytes_ += static_cast<std::int64_t>(count);
  at_hand_ = Decoder::Bytes(buffer_).first(left + count);
}

std::size_t PackedFile::take(char* to, std::size_t most) {
  fill(1);
  const std::size_t count = std::min(most, at_hand_.size());
  std::copy_n(at_hand_.begin(), count, to);
  at_hand_ = at_hand_.subspan(count);
  return count;
}

bool PackedFile::begins_part() {
  // Tape archives end in zeros.
  std::size_t zeros = 0;
  while (fill(1), !at_hand_.empty() && at_hand_.front() == 0) {
    at_hand_ = at_hand_.subspan(1);
    ++zeros;
  }
  fill(Decoder::kMagicBytes);
  if (at_hand_.empty()) return false;
  const bool may_begin =
      zeros == 0 || (decoder_->padding() > 0 && zeros % decoder_->padding() == 0);
  KETTE_CHECK(may_begin && decoder_->is_magic(at_hand_), path_.string(), ":", lines_ + 1,
              ": expected the end of the file, or another ", decoder_->format(),
              " file behind the first, given something else (it is damaged, or plain text was "
              "appended)");
  return true;
}

std::size_t PackedFile::unpack(char* to, std::size_t most) {
  Decoder::Room room(reinterpret_cast<unsigned char*>(to), most);
  while (room.size() == most) {
    if (!inside_part_) {
      if (!begins_part()) return 0;
      decoder_->begin_part();
      inside_part_ = true;
    }
    fill(1);
    const bool is_at_end = at_hand_.empty();
    inside_part_ = !decoder_->unpack(at_hand_, room);
    KETTE_CHECK(!is_at_end || !inside_part_ || room.size() < most, path_.string(), ":", lines_ + 1,
                ": expected a whole ", decoder_->format(),
                " file, given one that ends in this line",
                " (it is truncated: copy or download it again)");
  }
  return most - room.size();
}

std::size_t PackedFile::read(char* to, std::size_t most) {
  std::size_t done = 0;
  while (done < most) {
    const std::size_t count =
        decoder_ ? unpack(to + done, most - done) : take(to + done, most - done);
    if (count == 0) break;
    lines_ += std::count(to + done, to + done + count, '\n');
    done += count;
  }
  return done;
}

std::int64_t PackedFile::bytes_taken() const {
  return bytes_ - static_cast<std::int64_t>(at_hand_.size());
}

}  // namespace kette
