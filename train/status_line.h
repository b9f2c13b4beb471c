// A status line on stderr for long work. A terminal shows it in place, within its width, with a bar; a file, or a
// terminal that says TERM=dumb, gets a new line now and then. There are no colours. Within a host (train/host.h) it is
// not shown, and showing it ends work that the host has interrupted.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "data/corpora/tokenize_files.h"
#include "train/host.h"

namespace kette {

/// "1:02:03" or "2:03".
std::string clock_time(double seconds);
/// Of the terminal behind a file descriptor; 0 if there is none, or it does not say.
int terminal_columns(int descriptor);

/// "  2:03 left". passed: seconds so far. share: of the work that is done, from 0 to 1; "" if it is 0.
std::string time_left(double passed, double share);

/// "[####----]  50 %  text", no wider than `columns`. The bar is shorter where the text is long, then the last parts of
/// the text are left out, which two spaces separate; less than 60 columns have no bar. share: from 0 to 1; 0: not
/// known, the text alone.
std::string progress_bar(double share, const std::string& text, int columns);

class StatusLine {
 public:
  explicit StatusLine(bool quiet);
  ~StatusLine();
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  /// Whether it is shown in place, where room is short: what matters most comes first.
  bool is_in_place() const { return terminal_; }
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
  /// Shows the result of text() and the time left if an update is due. Shows nothing in the first seconds. share: of
  /// the work that is done, from 0 to 1; 0: not known. seconds_left: if not by the share of the seconds so far.
  void show(double share, const std::function<std::string()>& text,
            std::optional<double> seconds_left = {});
  /// Prints a line that stays.
  void say(const std::string& line);
  /// Removes the line that the process shows from a terminal, before other output.
  static void clear();

 private:
  using Clock = std::chrono::steady_clock;

  Host* host_ = Host::current();
  bool quiet_, terminal_;
  Clock::time_point start_ = Clock::now(), last_{};
};

/// Shows the progress of a tokenizer. what: the things that it counts.
TokenizeProgress show_on(StatusLine& line, const char* what = "documents");

}  // namespace kette
