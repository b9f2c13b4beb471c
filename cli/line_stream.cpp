#include "cli/line_stream.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "data/utf8.h"
#include "tensor/error.h"

namespace kette::cli {

bool LineStream::more_is_waiting() const {
  pollfd request{descriptor_, POLLIN, 0};
  return ::poll(&request, 1, 0) > 0;
}

bool LineStream::read_some() {
  constexpr std::size_t kChunk = std::size_t{1} << 18;
  const std::size_t before = buffer_.size();
  buffer_.resize(before + kChunk);
  ssize_t count = 0;
  do {
    count = ::read(descriptor_, buffer_.data() + before, kChunk);
  } while (count < 0 && errno == EINTR);
  KETTE_CHECK(count >= 0, name_, ": expected input that can be read, given an error (",
              std::strerror(errno), ")");
  buffer_.resize(before + static_cast<std::size_t>(count));
  at_end_ = count == 0;
  return !at_end_;
}

void LineStream::take_lines(std::vector<std::string>& lines, std::size_t most) {
  std::size_t begin = 0;
  while (lines.size() < most && begin < buffer_.size()) {
    std::size_t end = buffer_.find('\n', std::max(begin, searched_));
    if (end == std::string::npos) {
      searched_ = buffer_.size();
      if (!at_end_) break;
      end = buffer_.size();
    }
    std::string line = buffer_.substr(begin, end - begin);
    if (line.ends_with('\r')) line.pop_back();
    if (next_line_ == 1 && line.starts_with("\xEF\xBB\xBF")) line.erase(0, 3);  // byte order mark
    const std::size_t bad = first_invalid_utf8(line);
    KETTE_CHECK(
        bad == std::string_view::npos, name_, ":", next_line_, ":", bad + 1,
        ": expected UTF-8, given other bytes (convert the text first, for example with iconv)");
    lines.push_back(std::move(line));
    ++next_line_;
    begin = std::min(end + 1, buffer_.size());
  }
  buffer_.erase(0, begin);
  searched_ -= std::min(searched_, begin);
}

std::vector<std::string> LineStream::next(std::size_t most) {
  first_line_ = next_line_;
  std::vector<std::string> lines;
  for (;;) {
    take_lines(lines, most);
    const bool enough = lines.size() == most || (!lines.empty() && !more_is_waiting());
    if (enough || at_end_ || (!read_some() && buffer_.empty())) return lines;
  }
}

}  // namespace kette::cli
