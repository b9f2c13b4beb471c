// A gradient check as lines, as JSON and as a page: the gaps of every op or parameter by both proofs, how those of its
// elements are distributed, how they depend on the step h of the differences, and a wrong gradient to play with. The
// error of a central difference is h^2 / 6 times the third derivative, and rounding adds about 1e-16 / h: a V on
// logarithmic axes, with its lowest point near h = 1e-5. A gradient that is wrong has a line that does not fall.
#pragma once

#include <string>
#include <vector>

#include "autograd/gradient_check.h"
#include "inspect/report/report.h"

namespace kette {

struct CheckedGradient {
  std::string name;
  std::int64_t samples = 0;
  GradientCheck check;
  std::vector<double>
      by_step{};  ///< the worst gap with each of steps_of_sweep(); empty: not measured
};

/// From 1e-2 to 1e-9.
const std::vector<double>& steps_of_sweep();

/// One line: both proofs, and the worst place. Of a check that failed, the rule that it broke.
std::string summary_of(const GradientCheck& check);
/// The same behind the verdict and the name.
std::string line_of(const CheckedGradient& checked);
/// What JSON says of one: "passed", "differences", "adjoint" or null, "fault".
void add_check(Report& report, const GradientCheck& check);

struct GradientReportOptions {
  double tolerance, adjoint_tolerance, step;
  std::string model;  ///< the family whose parameters they are; empty: they are ops
};
/// Its text is the sum; each check's line has been printed as it came.
Report to_report(const std::vector<CheckedGradient>& checked, const GradientReportOptions& options);

}  // namespace kette
