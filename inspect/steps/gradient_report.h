// The report of a gradient check: lines, JSON and a page. The page has the gaps of every op or parameter in both tests,
// their distribution over elements, their dependence on the step h, and a wrong gradient to experiment with. The error
// of a central difference is h^2 / 6 times the third derivative plus rounding, in f64 of about 1e-16 / h: a V on
// logarithmic axes, there with its minimum near h = 1e-5. For a wrong gradient the curve does not fall.
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
      by_step{};  ///< the worst gap at each of steps_of_sweep(); empty: not measured
};

/// From 1e-2 to 1e-9.
const std::vector<double>& steps_of_sweep();

/// "ok" or "FAILED"; "?" if nothing can be said.
const char* verdict_of(const GradientCheck& check);
/// One line: the gaps of both tests, and the rule that a failed check broke.
std::string summary_of(const GradientCheck& check);
/// verdict_of(), the name, and summary_of().
std::string line_of(const CheckedGradient& checked);
/// Adds the JSON keys of a check: "passed", "differences", "adjoint" (or null), "no_adjoint", "fault" and
/// "told" (whether something can be said).
void add_check(Report& report, const GradientCheck& check);

struct GradientReportOptions {
  double tolerance, adjoint_tolerance, step;
  DType dtype;        ///< checked in it
  std::string model;  ///< the family whose parameters were checked; empty: ops were checked
};
/// Its text is the summary; each check's line was printed before.
Report to_report(const std::vector<CheckedGradient>& checked, const GradientReportOptions& options);

}  // namespace kette
