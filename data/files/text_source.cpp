#include "data/files/text_source.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "tensor/error.h"

namespace kette {

std::string too_many_bytes(const std::string& name, std::int64_t line, const LineLimits& limits) {
  return name + ":" + std::to_string(line) + ": expected at most " +
         std::to_string(limits.line_bytes) + " bytes in a line, given more (is it text?)";
}

TextSource::TextSource(const TextColumn& text, const LineLimits& limits)
    : name_(text.name()), limits_(limits), file_(std::in_place, text.file, limits.may_be_zip) {
  std::error_code unknown;
  const std::uintmax_t size = std::filesystem::file_size(text.file, unknown);
  if (!unknown) size_ = size;
}

TextSource::TextSource(int descriptor, std::string name, const LineLimits& limits)
    : name_(std::move(name)), limits_(limits), descriptor_(descriptor) {}

bool TextSource::append_to(std::string& text) {
  constexpr std::size_t kChunk = std::size_t{1} << 18;
  const std::size_t before = text.size();
  text.resize(before + kChunk);
  const std::size_t count_read = read(text.data() + before, kChunk);
  text.resize(before + count_read);
  count(std::string_view(text).substr(before));
  return count_read > 0;
}

bool TextSource::more_is_waiting() const {
  if (file_) return true;
  pollfd request{descriptor_, POLLIN, 0};
  return ::poll(&request, 1, 0) > 0;
}

double TextSource::share_read() const {
  if (!file_ || size_ == 0) return 0;
  return std::min(1.0, static_cast<double>(file_->bytes_taken()) / static_cast<double>(size_));
}

std::size_t TextSource::read(char* to, std::size_t most) {
  if (file_) return file_->read(to, most);
  ssize_t count = 0;
  do {
    count = ::read(descriptor_, to, most);
  } while (count < 0 && errno == EINTR);
  KETTE_CHECK(count >= 0, name_, ": expected input that can be read, given an error (",
              std::strerror(errno), ")");
  return static_cast<std::size_t>(count);
}

void TextSource::count(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t end = std::min(bytes.find('\n'), bytes.size());
    const bool ends_line = end < bytes.size();
    const std::size_t taken = end + (ends_line ? 1 : 0);
    line_bytes_ += static_cast<std::int64_t>(end);
    bytes_ += static_cast<std::int64_t>(taken);
    KETTE_CHECK(line_ <= limits_.lines, name_, ":", line_, ": expected at most ", limits_.lines,
                " lines, given more (split the file)");
    if (line_bytes_ > limits_.line_bytes) fail(too_many_bytes(name_, line_, limits_));
    KETTE_CHECK(bytes_ <= limits_.bytes, name_, ":", line_, ": expected at most ", limits_.bytes,
                " bytes of text, given more (split the file)");
    if (ends_line) {
      ++line_;
      line_bytes_ = 0;
    }
    bytes.remove_prefix(taken);
  }
}

}  // namespace kette
