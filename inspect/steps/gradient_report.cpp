#include "inspect/steps/gradient_report.h"

#include <algorithm>
#include <cmath>

#include "autograd/differences.h"
#include "data/files/json_text.h"
#include "inspect/page/assets.h"
#include "inspect/page/html.h"
#include "inspect/page/sparkline.h"
#include "inspect/report/text.h"
#include "tensor/gap.h"

namespace kette {
namespace {

/// Powers of ten that gaps lie between.
constexpr int kLowest = -16, kHighest = 0;

/// From kLowest to kHighest as 0 to 1; a NaN is the worst there is.
double share_of(double gap) {
  if (std::isnan(gap)) return 1;
  return std::clamp((std::log10(std::max(gap, 1e-300)) - kLowest) / (kHighest - kLowest), 0.0, 1.0);
}

/// How many gaps lie within each half of a power of ten.
std::vector<double> histogram(const std::vector<double>& gaps) {
  std::vector<double> bins(static_cast<std::size_t>(2 * (kHighest - kLowest)));
  for (const double gap : gaps) {
    const auto bin = static_cast<std::size_t>(share_of(gap) * static_cast<double>(bins.size()));
    bins[std::min(bin, bins.size() - 1)] += 1;
  }
  return bins;
}

/// Where, what was expected and what came; or what else is wrong.
std::string worst_of(const GradientCheck& check) {
  const GradientGap& gap = check.differences;
  if (!check.fault.empty()) return check.fault;
  return text("%s: expected %.10g", gap.where.c_str(), gap.expected) +
         (gap.noise > 0 ? text(" \xC2\xB1 %.0e", gap.noise) : "") + text(", got %.10g", gap.got);
}

std::vector<double> shares_of(const std::vector<double>& gaps) {
  std::vector<double> shares;
  for (const double gap : gaps) shares.push_back(share_of(gap));
  return shares;
}

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

Json adjoint_json(const GradientCheck& check) {
  return check.adjoint ? gap_json(*check.adjoint) : Json();
}

Table table_of(const std::vector<CheckedGradient>& checked, const std::string& kind) {
  const Digits one = scientific(1);
  const auto gap = [](double value) { return Cell(value).with_bar(share_of(value)); };
  return tabulated(
      "checks", checked,
      {{{.key = "name", .title = kind}, &CheckedGradient::name},
       {{.key = "samples", .where = kJson}, &CheckedGradient::samples},
       {{.key = "passed",
         .title = "verdict",
         .help = "?: nothing can be said, as noise hides a gradient"},
        [](const auto& of) { return Cell(of.check.ok()).as(verdict_of(of.check)); }},
       {{.title = "gap",
         .digits = one,
         .help = "of the worst element, relative to its own gradient and noise",
         .where = kPage},
        [gap](const auto& of) { return gap(of.check.differences.gap); }},
       {{.title = "of the largest",
         .digits = one,
         .help = "relative to the largest gradient of its input",
         .where = kPage},
        [gap](const auto& of) { return gap(of.check.differences.of_largest); }},
       {{.title = "adjoint",
         .digits = one,
         .help = "the gap of the adjoint test, relative to its terms",
         .where = kPage},
        [gap](const auto& of) {
          return of.check.adjoint ? gap(of.check.adjoint->gap) : Cell("no tangent");
        }},
       {{.title = "elements", .digits = whole(), .where = kPage},
        [](const auto& of) { return of.check.differences.checked; }},
       {{.title = "below noise",
         .digits = whole(),
         .help = "whose differences say nothing",
         .where = kPage},
        [](const auto& of) { return of.check.differences.below_noise; }},
       {{.title = "gaps", .help = "of all elements: 1e-16 to 1, by powers of ten", .where = kPage},
        [](const auto& of) {
          return Cell().draw(spark_bars(histogram(of.check.differences.gaps)));
        }},
       {{.title = "by step",
         .help = "h from 1e-9 to 1e-2, gaps from 1e-12 to 1e-2",
         .where = kPage},
        [](const auto& of) {
          return Cell().draw(sparkline(shares_of({of.by_step.rbegin(), of.by_step.rend()}),
                                       share_of(1e-12), share_of(1e-2)));
        }},
       {{.title = "the worst",
         .help = "expected by differences, with their noise, got from the tape",
         .where = kPage},
        [](const auto& of) {
          return Cell().draw("<div class=\"place\">" + escaped(worst_of(of.check)) + "</div>");
        }},
       {{.key = "differences", .where = kJson},
        [](const auto& of) { return nested(gap_json(of.check.differences)); }},
       {{.key = "adjoint", .where = kJson},
        [](const auto& of) { return nested(adjoint_json(of.check)); }},
       {{.key = "no_adjoint", .where = kJson}, [](const auto& of) { return of.check.no_adjoint; }},
       {{.key = "fault", .where = kJson}, [](const auto& of) { return of.check.fault; }},
       {{.key = "told", .where = kJson}, [](const auto& of) { return of.check.tells(); }}});
}

/// The worst ones, as far as colours and lines can be told apart.
std::vector<Curve> curves_of(const std::vector<CheckedGradient>& checked,
                             const GradientReportOptions& options) {
  constexpr std::size_t kMost = 60;
  std::vector<const CheckedGradient*> worst;
  for (const CheckedGradient& one : checked) worst.push_back(&one);
  std::stable_sort(worst.begin(), worst.end(),
                   [](const CheckedGradient* a, const CheckedGradient* b) {
                     return share_of(a->check.differences.of_largest) >
                            share_of(b->check.differences.of_largest);
                   });
  if (worst.size() > kMost) worst.resize(kMost);
  std::vector<double> steps(steps_of_sweep().rbegin(), steps_of_sweep().rend());
  std::vector<Curve> curves;
  for (const CheckedGradient* one : worst) {
    std::vector<double> gaps(one->by_step.rbegin(), one->by_step.rend());
    for (double& gap : gaps) gap = std::max(gap, 1e-16);  // a logarithm has no 0
    curves.push_back({one->name, steps, gaps});
  }
  // What rounding alone makes of a sum of size 1, and where the verdict is taken first.
  const double rounded = epsilon_of(options.dtype) / 2;
  Curve rounding{text("rounding, %.0e / h", rounded), steps, {}, CurveKind::marked, 6};
  for (const double h : steps) rounding.y.push_back(rounded / h);
  curves.push_back(rounding);
  curves.push_back({"the verdict's first step",
                    {options.step, options.step * 1.0001},
                    {1e-13, 1e-1},
                    CurveKind::marked,
                    1});
  return curves;
}

}  // namespace

const std::vector<double>& steps_of_sweep() {
  static const std::vector<double> steps = [] {
    std::vector<double> values;
    for (int half = -4; half >= -18; --half) values.push_back(std::pow(10, half / 2.0));
    return values;
  }();
  return steps;
}

const char* verdict_of(const GradientCheck& check) {
  return check.failed() ? "FAILED" : check.ok() ? "ok" : "?";
}

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
  if (!check.tells()) return line + "  " + check.why_untold();
  if (differences.below_noise > 0) {
    line += text("  (%lld of the differences below their noise)",
                 static_cast<long long>(differences.below_noise));
  }
  return line + "  at " + place_of(differences);
}

std::string line_of(const CheckedGradient& checked) {
  return text("%-6s %-44s %3lld %s ", verdict_of(checked.check), checked.name.c_str(),
              static_cast<long long>(checked.samples),
              checked.samples == 1 ? "sample, " : "samples,") +
         summary_of(checked.check) + "\n";
}

void add_check(Report& report, const GradientCheck& check) {
  report.fact("passed", check.ok());
  report.fact("differences", nested(gap_json(check.differences)));
  report.fact("adjoint", nested(adjoint_json(check)));
  report.fact("no_adjoint", check.no_adjoint);
  report.fact("fault", check.fault);
  report.fact("told", check.tells());
}

Report to_report(const std::vector<CheckedGradient>& checked,
                 const GradientReportOptions& options) {
  const bool ops = options.model.empty();
  std::int64_t failed = 0, untold = 0;
  double differences = 0, adjoint = 0;
  bool swept = !checked.empty();
  for (const CheckedGradient& one : checked) {
    if (one.check.failed()) {
      ++failed;
    } else if (!one.check.ok()) {
      ++untold;
    }
    differences = larger_gap(differences, one.check.differences.gap);
    if (one.check.adjoint) adjoint = larger_gap(adjoint, one.check.adjoint->gap);
    swept = swept && !one.by_step.empty();
  }
  const std::int64_t passed = std::ssize(checked) - failed - untold;
  Report report{
      .title = ops ? "Gradient check" : "Gradient check of a " + options.model,
      .lead =
          std::to_string(passed) + " of " + std::to_string(checked.size()) +
          (ops ? " ops" : " parameters") + " have the right gradient" +
          (failed == 0 ? "" : ", " + std::to_string(failed) + " have not") +
          (untold == 0 ? "" : ", of " + std::to_string(untold) + " nothing can be said") +
          text(
              "; a row is one of them, and a gap up to %.0e by differences, %.0e by the adjoint test, passes.",
              options.tolerance, options.adjoint_tolerance),
      .about = text("Differences from h = %.0e on. Made by kette gradcheck.", options.step)};
  report.line(std::to_string(passed) + " passed, " + std::to_string(failed) + " failed, worst " +
              text("%.2e by differences, %.2e by the adjoint test\n", differences, adjoint));
  if (untold > 0) {
    report.line("of " + std::to_string(untold) +
                " (?) nothing can be said: noise hides a gradient\n");
  }
  report.fact("passed", passed);
  report.fact("failed", failed);
  report.fact("untold", untold);
  report.fact("differences", differences);
  report.fact("adjoint", adjoint);
  report.section("Gaps");
  report.note(
      "Differences: the gap of an element is |expected - got| relative to its own gradient and to what is allowed "
      "for noise; it fails above the tolerance. Adjoint: &lt;u, J v&gt; and &lt;J\xE1\xB5\x80 u, v&gt;, "
      "which have no step, relative to their terms. Bars are logarithmic, from 1e-16 to 1; so are the two small "
      "drawings: how many elements have which gap, and the worst gap, relative to the largest gradient, with the "
      "steps 1e-9 (left) to 1e-2 (right).");
  report.table(table_of(checked, ops ? "op" : "parameter"), kJson | kPage);
  if (swept) {
    report.section("Error and step");
    report.note(
        "From the right the error of a difference falls with h\xC2\xB2, until rounding, which grows with 1/h, takes "
        "over: a V. An op that is linear has no right arm, one with a kink a plateau where h reaches across it; a "
        "gradient that is wrong has a line that stays up. The verdict is taken at the step that is marked; where "
        "that does not suffice, three steps each are extrapolated to 0, which lies below the V. Point at or tap a line "
        "for its name; click or tap a name to hide it.");
    report.charts({{.title = "The worst gap against the step h",
                    .x_title = "h",
                    .y_title = "gap over the largest gradient, both axes logarithmic",
                    .curves = curves_of(checked, options),
                    .log_x = true,
                    .log_y = true}});
  }
  report.section("A wrong gradient to play with");
  report.note(
      "y = exp(x) at twelve places, with a gradient that is wrong in one way: which rule sees it? The rows that are "
      "marked are wrong.");
  report.drawing([](Page& page) {
    page.script(assets::gradient_js);
    return "<div id=\"play\"><p class=\"note\">This part needs scripts.</p></div>\n";
  });
  return report;
}

}  // namespace kette
