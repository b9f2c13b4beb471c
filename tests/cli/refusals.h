// Runs that are to fail in an orderly way, and what they say then.
#pragma once

#include <doctest/doctest.h>

#include <string>

#include "tests/cli/run_kette.h"

namespace kette::testing {

inline void check_refused(const Outcome& outcome, const std::string& said, int code = 1) {
  CAPTURE(outcome.err);
  CAPTURE(said);
  CHECK(outcome.code == code);
  CHECK(outcome.says(said));
}

}  // namespace kette::testing
