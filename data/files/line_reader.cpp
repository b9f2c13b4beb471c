#include "data/files/line_reader.h"

#include <algorithm>
#include <utility>

#include "data/files/encoding.h"
#include "data/files/utf8.h"
#include "tensor/error.h"

namespace kette {
namespace {

constexpr std::size_t kStart = 64;  // bytes that show UTF-16
/// After this many bytes without a line end the text is refused.
constexpr std::int64_t kNoText = std::int64_t{1} << 30;

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

/// The end of the current line; npos if not known yet.
std::size_t LineReader::end_of_line() {
  const std::size_t end = buffer_.find('\n', std::max(begin_, searched_));
  if (end != std::string::npos) return end;
  searched_ = buffer_.size();
  if (at_end_) return buffer_.size();
  const auto so_far = static_cast<std::int64_t>(buffer_.size() - begin_);
  if (faulty_ != FaultyLines::refused && dropped_ + so_far > limits_.line_bytes) {
    dropped_ += so_far;
    begin_ = buffer_.size();
    if (dropped_ > kNoText) fail(too_many_bytes(name(), next_line_, limits_));
  }
  return std::string::npos;
}

/// Cuts a line to the requested column, if any. Returns where the column began in the line.
std::size_t LineReader::cut_to_column(std::string& line) const {
  if (column_ == 0) return 0;
  std::size_t begin = 0;
  for (std::int64_t column = 1; column < column_; ++column) {
    const std::size_t tab = line.find('\t', begin);
    KETTE_CHECK(tab != std::string::npos, name(), ":", next_line_, ": expected at least ", column_,
                " columns, with a tab between two of them, given ", column,
                " (--columns says which ones are source and target)");
    begin = tab + 1;
  }
  line = line.substr(begin, line.find('\t', begin) - begin);
  return begin;
}

void LineReader::take(std::vector<std::string>& lines, std::string line) {
  if (next_line_ == 1) check_not_utf16(start_, name() + ":1:1");
  const auto fault = [&](const std::string& message) {
    if (faulty_ == FaultyLines::refused) fail(message);
    faults_.push_back({lines.size(), message});
  };
  std::size_t begin = 0;  // of the text in the line
  if (faulty_ != FaultyLines::refused &&
      dropped_ + static_cast<std::int64_t>(line.size()) > limits_.line_bytes) {
    fault(too_many_bytes(name(), next_line_, limits_));
    line.clear();
  } else {
    if (line.ends_with('\r')) line.pop_back();
    begin = cut_to_column(line);
  }
  dropped_ = 0;
  const std::size_t bad = first_invalid_utf8(line);
  if (bad != std::string::npos) {
    fault(name() + ":" + std::to_string(next_line_) + ":" + std::to_string(begin + bad + 1) + ": " +
          expected_utf8(start_, line[bad]));
    if (faulty_ == FaultyLines::emptied) line.clear();
  }
  if (next_line_ == 1 && line.starts_with(kByteOrderMark)) line.erase(0, kByteOrderMark.size());
  lines.push_back(std::move(line));
}

void LineReader::take_lines(std::vector<std::string>& lines, std::size_t most, std::size_t& room) {
  while (lines.size() < most && room > 0 && (begin_ < buffer_.size() || dropped_ > 0)) {
    const std::size_t end = end_of_line();
    if (end == std::string::npos) return;
    take(lines, buffer_.substr(begin_, end - begin_));
    ++next_line_;
    begin_ = std::min(end + 1, buffer_.size());
    room -= std::min(room, lines.back().size() + 1);
  }
}

std::vector<std::string> LineReader::next(std::size_t most, std::size_t most_bytes) {
  if (pending_) std::rethrow_exception(pending_);
  first_line_ = next_line_;
  faults_.clear();
  std::vector<std::string> lines;
  std::size_t room = most_bytes;
  try {
    for (;; fill()) {
      take_lines(lines, most, room);
      const bool full = lines.size() == most || room == 0;
      if (full || at_end_ || (!lines.empty() && !source_.more_is_waiting())) break;
    }
  } catch (const Error&) {
    if (lines.empty()) throw;
    pending_ = std::current_exception();
  }
  KETTE_CHECK(!needs_line_ || next_line_ > 1 || most == 0, name(),
              ": expected at least one line, given an empty file");
  return lines;
}

}  // namespace kette
