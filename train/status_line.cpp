#include "train/status_line.h"

#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <iostream>

#include "data/files/visible_text.h"

namespace kette {

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

StatusLine::StatusLine(bool quiet) : quiet_(quiet), terminal_(::isatty(STDERR_FILENO)) {}

StatusLine::~StatusLine() { clear(); }

void StatusLine::show(const std::function<std::string()>& line) {
  if (host_ != nullptr) return host_->check();
  constexpr double kLong = 2;  // seconds, after which there is a rate to tell
  if (quiet_ || seconds() < kLong) return;
  const auto now = Clock::now();
  if (now - last_ < std::chrono::milliseconds(terminal_ ? 500 : 10000)) return;
  last_ = now;
  std::cerr << (terminal_ ? "\r\033[K" + visible(line()) : visible(line()) + "\n");
  is_open_ = terminal_;
}

void StatusLine::say(const std::string& line) {
  if (quiet_) return;
  clear();
  (host_ != nullptr ? host_->messages() : std::cerr) << visible(line) + "\n";
}

void StatusLine::clear() {
  if (is_open_) std::cerr << "\r\033[K";
  is_open_ = false;
}

TokenizeProgress show_on(StatusLine& line, const char* what) {
  return [&line, what](const TokenizeReport& report, double share) {
    line.show([&] {
      const double passed = line.seconds();
      char text[160];
      std::snprintf(
          text, sizeof text, "%lld %s  %lld tokens  %.1f MB/s%s",
          static_cast<long long>(report.documents), what, static_cast<long long>(report.tokens),
          static_cast<double>(report.bytes) / 1e6 / passed, time_left(passed, share).c_str());
      return std::string(text);
    });
  };
}

}  // namespace kette
