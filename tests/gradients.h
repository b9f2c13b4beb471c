// What tests ask of a gradient check.
#pragma once

#include <doctest/doctest.h>

#include "autograd/gradient_check.h"

namespace kette::testing {

inline void expect_right(const GradientCheck& check) {
  INFO(check.str());
  CHECK(check.ok());
  CHECK(check.tells());
  CHECK_MESSAGE(check.adjoint, check.no_adjoint);
}

inline void expect_right(const ParameterChecks& checks) {
  CHECK(!checks.empty());
  for (const auto& parameter : checks) {  // clang 14 captures no structured bindings
    const GradientCheck& check = parameter.second;
    CAPTURE(parameter.first);
    INFO(check.str());
    CHECK(check.ok());
    CHECK_MESSAGE(check.adjoint, check.no_adjoint);
  }
}

}  // namespace kette::testing
