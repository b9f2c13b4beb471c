#include "data/files/line_reader.h"

#include <algorithm>
#include <utility>

#include "data/files/encoding.h"
#include "data/files/utf8.h"
#include "tensor/error.h"

namespace kette {
namespace {

constexpr std::size_t kStart = 64;  // bytes that tell UTF-16

}  // namespace

void LineReader::fill() {
  buffer_.erase(0, begin_);
  searched_ -= std::min(searched_, begin_);
  begin_ = 0;
  at_end_ = !source_.append_to(buffer_);
  if (next_line_ == 1 && start_.size() < kStart) start_ = buffer_.substr(0, kStart);
}

double LineReader::share() const {
  if (source_.bytes_read() == 0) return 0;
  const auto all = static_cast<double>(source_.bytes_read()),
             waiting = static_cast<double>(buffer_.size() - begin_);
  return source_.share_read() * (all - waiting) / all;
}

std::string LineReader::checked(std::string line) const {
  if (next_line_ == 1) check_not_utf16(start_, name() + ":1:1");
  const std::size_t bad = first_invalid_utf8(line);
  if (bad != std::string::npos) {
    fail(name(), ":", next_line_, ":", bad + 1, ": ", expected_utf8(start_, line[bad]));
  }
  if (line.ends_with('\r')) line.pop_back();
  if (next_line_ == 1 && line.starts_with(kByteOrderMark)) line.erase(0, kByteOrderMark.size());
  return line;
}

void LineReader::take_lines(std::vector<std::string>& lines, std::size_t most, std::size_t& room) {
  while (lines.size() < most && room > 0 && begin_ < buffer_.size()) {
    std::size_t end = buffer_.find('\n', std::max(begin_, searched_));
    if (end == std::string::npos) {
      searched_ = buffer_.size();
      if (!at_end_) return;
      end = buffer_.size();
    }
    lines.push_back(checked(buffer_.substr(begin_, end - begin_)));
    ++next_line_;
    begin_ = std::min(end + 1, buffer_.size());
    room -= std::min(room, lines.back().size() + 1);
  }
}

std::vector<std::string> LineReader::next(std::size_t most, std::size_t most_bytes) {
  first_line_ = next_line_;
  std::vector<std::string> lines;
  std::size_t room = most_bytes;
  for (;; fill()) {
    take_lines(lines, most, room);
    const bool full = lines.size() == most || room == 0;
    if (full || at_end_ || (!lines.empty() && !source_.more_is_waiting())) break;
  }
  KETTE_CHECK(!needs_line_ || next_line_ > 1 || most == 0, name(),
              ": expected at least one line, given an empty file");
  return lines;
}

}  // namespace kette
