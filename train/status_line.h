// One line on stderr about work that takes long: on a terminal written over and over, in a file
// anew now and then.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "data/corpora/tokenize_files.h"

namespace kette {

/// "1:02:03" or "2:03".
std::string clock_time(double seconds);
/// "  2:03 left", after so many seconds for this share of the work, from 0 to 1; nothing as long as that is 0.
std::string time_left(double passed, double share);

class StatusLine {
 public:
  explicit StatusLine(bool quiet);
  ~StatusLine();
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
  /// Shows what line() says, if it is time to: not in the first seconds of the line's life.
  void show(const std::function<std::string()>& line);
  /// A line of its own, which stays.
  void say(const std::string& line);
  /// Takes the line off a terminal, before something else is written there.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  bool quiet_, terminal_, is_open_ = false;
  Clock::time_point start_ = Clock::now(), last_{};
};

/// Shows how far a tokenizer has come; what: the things that it counts.
TokenizeProgress show_on(StatusLine& line, const char* what = "documents");

}  // namespace kette
