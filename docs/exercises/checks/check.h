// What a check of an exercise says: where a number is not the expected one, and at the end whether all were.
#pragma once

#include <cmath>
#include <iostream>
#include <string>

class Check {
 public:
  explicit Check(std::string exercise) : exercise_(std::move(exercise)) {}

  /// Equal but for `tolerance` times the larger of 1 and the expected number; not if one is NaN.
  void near(const std::string& what, double expected, double came, double tolerance = 1e-9) {
    const bool is_near = std::abs(expected - came) <= tolerance * std::fmax(1, std::abs(expected));
    that(is_near, what, expected, came);
  }
  template <class Expected, class Came>
  void that(bool holds, const std::string& what, const Expected& expected, const Came& came) {
    ++compared_;
    if (holds) return;
    if (++failed_ > 5) return;
    std::cout << exercise_ << ": " << what << ": expected " << expected << ", came " << came
              << '\n';
  }
  /// The exit code.
  int end() const {
    std::cout << exercise_ << ": " << (failed_ > 0 ? "not yet: " : "done: ") << compared_ - failed_
              << " of " << compared_ << " as expected\n";
    return failed_ > 0 ? 1 : 0;
  }

 private:
  std::string exercise_;
  int compared_ = 0, failed_ = 0;
};
