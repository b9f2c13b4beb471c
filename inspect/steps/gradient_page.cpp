#include "inspect/steps/gradient_page.h"

#include <algorithm>
#include <cmath>

#include "inspect/page/assets.h"
#include "inspect/page/html.h"
#include "inspect/page/page.h"
#include "inspect/page/sparkline.h"

namespace kette {
namespace {

/// Powers of ten that gaps lie between.
constexpr int kLowest = -16, kHighest = 0;

/// From kLowest to kHighest as 0 to 1; a NaN is the worst there is.
double share_of(double gap) {
  if (std::isnan(gap)) return 1;
  return std::clamp((std::log10(std::max(gap, 1e-300)) - kLowest) / (kHighest - kLowest), 0.0, 1.0);
}

std::string scientific(double value, int digits) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.*e", digits, value);
  return buffer;
}

std::string digits_of(double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.10g", value);
  return buffer;
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
std::string place_of(const GradientCheck& check) {
  const GradientGap& gap = check.differences;
  std::string text = check.fault;
  if (text.empty()) {
    text = gap.where + ": expected " + digits_of(gap.expected);
    if (gap.noise > 0) text += " \xC2\xB1 " + scientific(gap.noise, 0);
    text += ", got " + digits_of(gap.got);
  }
  return "<div class=\"place\">" + escaped(text) + "</div>";
}

std::string verdict_of(const GradientCheck& check) {
  if (!check.ok()) return "FAILED";
  return check.tells() ? "ok" : "says nothing";
}

std::vector<double> shares_of(const std::vector<double>& gaps) {
  std::vector<double> shares;
  for (const double gap : gaps) shares.push_back(share_of(gap));
  return shares;
}

std::string table_of(const std::vector<CheckedGradient>& checked, const std::string& kind) {
  HtmlTable table(
      {{kind},
       {"verdict"},
       {"gap", true, "of the worst element, relative to its own gradient and noise"},
       {"of the largest", true, "relative to the largest gradient of its input"},
       {"adjoint", true, "the gap of the adjoint test, relative to its terms"},
       {"elements", true},
       {"below noise", true, "whose differences say nothing"},
       {"gaps", false, "of all elements: 1e-16 to 1, by powers of ten"},
       {"by step", false, "h from 1e-9 to 1e-2, gaps from 1e-12 to 1e-2"},
       {"the worst", false, "expected by differences, with their noise, got from the tape"}});
  for (const CheckedGradient& one : checked) {
    const std::vector<double> by_step = shares_of({one.by_step.rbegin(), one.by_step.rend()});
    const GradientGap& differences = one.check.differences;
    const auto bar = [](double gap) { return HtmlTable::Cell(scientific(gap, 1), share_of(gap)); };
    table.row({one.name, verdict_of(one.check), bar(differences.gap), bar(differences.of_largest),
               one.check.adjoint ? bar(one.check.adjoint->gap) : HtmlTable::Cell("no tangent"),
               std::to_string(differences.checked), std::to_string(differences.below_noise),
               HtmlTable::Cell::html(spark_bars(histogram(differences.gaps))),
               HtmlTable::Cell::html(sparkline(by_step, share_of(1e-12), share_of(1e-2))),
               HtmlTable::Cell::html(place_of(one.check))});
  }
  return table.str();
}

/// The worst ones, as far as colours and lines can be told apart.
std::vector<Curve> curves_of(const std::vector<CheckedGradient>& checked, double step) {
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
  Curve rounding{"rounding, 1e-16 / h", steps, {}, CurveKind::marked, 6};
  for (const double h : steps) rounding.y.push_back(1e-16 / h);
  curves.push_back(rounding);
  curves.push_back(
      {"the verdict's first step", {step, step * 1.0001}, {1e-13, 1e-1}, CurveKind::marked, 1});
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

std::string gradient_page(const std::vector<CheckedGradient>& checked,
                          const GradientPageOptions& options) {
  const bool ops = options.model.empty();
  const auto failed = std::count_if(checked.begin(), checked.end(),
                                    [](const CheckedGradient& one) { return !one.check.ok(); });
  Page page(ops ? "Gradient check" : "Gradient check of a " + options.model,
            std::to_string(checked.size()) + (ops ? " ops" : " parameters") +
                " by differences, from h = " + scientific(options.step, 0) +
                " on, and by the adjoint test: " +
                (failed == 0 ? "all within " : std::to_string(failed) + " beyond ") +
                scientific(options.tolerance, 0) + " and " +
                scientific(options.adjoint_tolerance, 0) + ". Made by kette gradcheck.");
  page.section(
      "Gaps",
      note(
          "Differences: the gap of an element is |expected - got| relative to its own gradient and to what is allowed "
          "for noise; it fails above the tolerance. Adjoint: &lt;u, J v&gt; and &lt;J\xE1\xB5\x80 u, v&gt;, "
          "which have no step, relative to their terms. Bars are logarithmic, from 1e-16 to 1; so are the two small "
          "drawings: how many elements have which gap, and the worst gap, relative to the largest gradient, with the "
          "steps 1e-9 (left) to 1e-2 (right).") +
          table_of(checked, ops ? "op" : "parameter"));
  Chart chart{"The worst gap, of the largest gradient, against the step h", "h", "log-log",
              curves_of(checked, options.step)};
  chart.log_x = chart.log_y = true;
  page.section(
      "Error and step",
      note(
          "From the right the error of a difference falls with h\xC2\xB2, until rounding, which grows with 1/h, takes "
          "over: a V. An op that is linear has no right arm, one with a kink a plateau where h reaches across it; a "
          "gradient that is wrong has a line that stays up. The verdict is taken at the step that is marked; where that does "
          "not suffice, three steps each are extrapolated to 0, which lies below the V. Point at a line for its "
          "name; click a name to hide it.") +
          page.chart(chart));
  page.section(
      "A wrong gradient to play with",
      note(
          "y = exp(x) at twelve places, with a gradient that is wrong in one way: which rule sees it? The rows that "
          "are marked are wrong.") +
          "<div id=\"play\"><p class=\"note\">This part needs scripts.</p></div>\n");
  page.script(assets::gradient_js);
  return page.str();
}

}  // namespace kette
