#include "cli/gradient_report.h"

#include "cli/common.h"
#include "data/files/json_text.h"

namespace kette::cli {
namespace {

Json gap_json(const GradientGap& gap) {
  return {{"passed", gap.ok()},
          {"elements", gap.checked},
          {"below_noise", gap.below_noise},
          {"worst", gap.gap},
          {"of_largest", gap.of_largest},
          {"where", gap.where},
          {"expected", gap.expected},
          {"got", gap.got},
          {"noise", gap.noise}};
}

/// "input 0 [2, 1]: expected 0.5, got 0.7"
std::string place_of(const GradientGap& gap) {
  return text("%s: expected %.9g, got %.9g", gap.where.c_str(), gap.expected, gap.got);
}

std::string broken_rule(const GradientGap& gap, const char* proof, double tolerance,
                        const char* of) {
  return text("by %s at %s; off by %.2g, where %.0e of %s and %.1e of noise are allowed", proof,
              place_of(gap).c_str(), std::abs(gap.expected - gap.got), tolerance, of, gap.noise);
}

}  // namespace

std::string summary_of(const GradientCheck& check) {
  if (!check.fault.empty()) return check.fault;
  const GradientGap& differences = check.differences;
  std::string line = text("%7lld elements  differences %.1e",
                          static_cast<long long>(differences.checked), differences.gap);
  line +=
      check.adjoint ? text("  adjoint %.1e", check.adjoint->gap) : std::string("  no tangent     ");
  if (!differences.ok()) {
    return line + "  " + broken_rule(differences, "differences", check.options.tolerance, "it");
  }
  if (check.adjoint && !check.adjoint->ok()) {
    return line + "  " +
           broken_rule(*check.adjoint, "the adjoint test", check.options.adjoint_tolerance,
                       "its terms");
  }
  if (differences.below_noise > 0) {
    line += text("  (%lld of the differences below their noise)",
                 static_cast<long long>(differences.below_noise));
  }
  return line + "  at " + place_of(differences);
}

Json check_json(const GradientCheck& check) {
  Json all = {{"passed", check.ok()}, {"differences", gap_json(check.differences)}};
  all["adjoint"] = check.adjoint ? gap_json(*check.adjoint) : Json();
  all["no_adjoint"] = check.no_adjoint;
  all["fault"] = check.fault;
  return all;
}

}  // namespace kette::cli
