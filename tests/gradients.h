// What tests ask of a gradient check.
#pragma once

#include <doctest/doctest.h>

#include <functional>

#include "autograd/gradient_check.h"
#include "autograd/tape.h"

namespace kette::testing {

/// Adds the gradient of a loss to its parameters, which a check leaves as they are.
inline void add_gradient_of(const std::function<Variable()>& loss) {
  Tape tape;
  tape.backward(loss());
}

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
    CHECK(check.tells());
    CHECK_MESSAGE(check.adjoint, check.no_adjoint);
  }
}

}  // namespace kette::testing
