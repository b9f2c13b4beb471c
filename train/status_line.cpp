#include "train/status_line.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string_view>

#include "data/files/utf8.h"
#include "data/files/visible_text.h"

namespace kette {
namespace {

/// Whether the terminal shows a line. A handler of signals reads it.
std::atomic<bool> is_open = false;
static_assert(std::atomic<bool>::is_always_lock_free);

bool is_terminal() {
  const char* kind = std::getenv("TERM");
  return ::isatty(STDERR_FILENO) != 0 && kind != nullptr && std::string_view(kind) != "dumb";
}

/// Ends the line, so that the shell's prompt does not stand in it, and then the program.
void end_line(int signal) {
  if (is_open && ::write(STDERR_FILENO, "\n", 1) < 0) is_open = false;
  ::raise(signal);  // whose action is the system's again
}

/// For signals that would end the program within a line. Those that it handles (train/interrupt.h) stay its own.
void end_line_at_signals() {
  for (const int signal : {SIGINT, SIGTERM}) {
    struct sigaction now {};
    if (::sigaction(signal, nullptr, &now) != 0 || now.sa_handler != SIG_DFL) continue;
    now.sa_handler = end_line;
    now.sa_flags = SA_RESETHAND;
    ::sigaction(signal, &now, nullptr);
  }
}

int characters_of(const std::string& text) { return static_cast<int>(characters_in(text)); }

/// At most so many characters of a text: its first parts, or what fits of the first one.
std::string cut(std::string text, int most) {
  while (characters_of(text) > most) {
    const std::size_t last = text.rfind("  ");
    if (last == std::string::npos || last == 0) break;
    text.erase(last);
  }
  int characters = 0;
  const auto end = std::find_if(text.begin(), text.end(), [&](char byte) {
    return !continues_utf8(byte) && ++characters > most;
  });
  return {text.begin(), end};
}

}  // namespace

int terminal_columns(int descriptor) {
  winsize size{};
  return ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

std::string clock_time(double seconds) {
  const auto total = std::llround(seconds);
  char text[32];
  if (total >= 3600) {
    std::snprintf(text, sizeof text, "%lld:%02lld:%02lld", total / 3600, total / 60 % 60,
                  total % 60);
  } else {
    std::snprintf(text, sizeof text, "%lld:%02lld", total / 60, total % 60);
  }
  return text;
}

std::string time_left(double passed, double share) {
  return share > 0 ? "  " + clock_time(passed * (1 - share) / share) + " left" : "";
}

std::string progress_bar(double share, const std::string& text, int columns) {
  if (!(share > 0)) return cut(text, columns);
  constexpr int kShortest = 8, kLongest = 30, kAround = 3;  // brackets and a space
  char percents[16];
  std::snprintf(percents, sizeof percents, "%3.0f %%  ", 100 * std::min(share, 1.0));
  const int bar = columns < 60 ? 0 : kShortest + kAround;
  const std::string rest = cut(percents + text, columns - bar);
  if (bar == 0) return rest;
  const int length = std::min(kLongest, columns - characters_of(rest) - kAround);
  const auto full = static_cast<std::size_t>(std::lround(std::min(share, 1.0) * length));
  return "[" + std::string(full, '#') + std::string(static_cast<std::size_t>(length) - full, '-') +
         "] " + rest;
}

StatusLine::StatusLine(bool quiet) : quiet_(quiet), terminal_(is_terminal()) {}

StatusLine::~StatusLine() { clear(); }

void StatusLine::show(double share, const std::function<std::string()>& text,
                      std::optional<double> seconds_left) {
  if (host_ != nullptr) return host_->check();
  constexpr double kLong = 2;  // seconds, after which there is a rate to tell
  if (quiet_ || seconds() < kLong) return;
  const auto now = Clock::now();
  if (now - last_ < std::chrono::milliseconds(terminal_ ? 500 : 10000)) return;
  last_ = now;
  const std::string line = visible(text());
  const std::string left =
      seconds_left ? "  " + clock_time(*seconds_left) + " left" : time_left(seconds(), share);
  if (!terminal_) {
    std::cerr << line + left + "\n";
    return;
  }
  end_line_at_signals();
  is_open = true;
  const std::string in_place = left.empty() ? line : left.substr(2) + "  " + line;
  constexpr int kUsual = 80;
  const int columns = terminal_columns(STDERR_FILENO);
  std::cerr << "\r\033[K" + progress_bar(share, in_place, (columns > 0 ? columns : kUsual) - 1);
}

void StatusLine::say(const std::string& line) {
  if (quiet_) return;
  clear();
  (host_ != nullptr ? host_->messages() : std::cerr) << visible(line) + "\n";
}

void StatusLine::clear() {
  if (is_open.exchange(false)) std::cerr << "\r\033[K";
}

TokenizeProgress show_on(StatusLine& line, const char* what) {
  return [&line, what](const TokenizeReport& report, double share) {
    line.show(share, [&] {
      char text[160];
      std::snprintf(text, sizeof text, "%lld %s  %lld tokens  %.1f MB/s",
                    static_cast<long long>(report.documents), what,
                    static_cast<long long>(report.tokens),
                    static_cast<double>(report.bytes) / 1e6 / line.seconds());
      return std::string(text);
    });
  };
}

}  // namespace kette
