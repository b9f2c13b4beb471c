// Lines as they come, for pipes: as many as are there, up to a limit, but never a wait for more
// once there is one.
#pragma once

#include <string>
#include <vector>

namespace kette::cli {

class LineStream {
 public:
  /// Reads a file descriptor; the name stands in errors.
  LineStream(int descriptor, std::string name) : descriptor_(descriptor), name_(std::move(name)) {}

  /// The next lines, at most `most`; none at the end. Checks that they are UTF-8.
  std::vector<std::string> next(std::size_t most);
  /// The number of the first line of the last next().
  std::int64_t first_line() const { return first_line_; }

 private:
  bool more_is_waiting() const;
  bool read_some();
  void take_lines(std::vector<std::string>& lines, std::size_t most);

  int descriptor_;
  std::string name_;
  std::string buffer_;
  std::size_t searched_ = 0;  // bytes of the buffer known to hold no line end
  bool at_end_ = false;
  std::int64_t first_line_ = 1, next_line_ = 1;
};

}  // namespace kette::cli
