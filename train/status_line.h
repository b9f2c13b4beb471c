// A status line on stderr for long work. A terminal shows it in place; a file gets a new line now and
// then. Within a host (train/host.h) it is not shown, and showing it ends work that the host has interrupted.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "data/corpora/tokenize_files.h"
#include "train/host.h"

namespace kette {

/// "1:02:03" or "2:03".
std::string clock_time(double seconds);
/// "  2:03 left". passed: seconds so far. share: of the work that is done, from 0 to 1; "" if it is 0.
std::string time_left(double passed, double share);

class StatusLine {
 public:
  explicit StatusLine(bool quiet);
  ~StatusLine();
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
  /// Shows the result of line() if an update is due. Shows nothing in the first seconds.
  void show(const std::function<std::string()>& line);
  /// Prints a line that stays.
  void say(const std::string& line);
  /// Removes the line from a terminal, before other output.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  Host* host_ = Host::current();
  bool quiet_, terminal_, is_open_ = false;
  Clock::time_point start_ = Clock::now(), last_{};
};

/// Shows the progress of a tokenizer. what: the things that it counts.
TokenizeProgress show_on(StatusLine& line, const char* what = "documents");

}  // namespace kette
