#include "inspect/steps/gradient_page.h"

#include <algorithm>
#include <cmath>

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

std::vector<double> shares_of(const std::vector<double>& gaps) {
  std::vector<double> shares;
  for (const double gap : gaps) shares.push_back(share_of(gap));
  return shares;
}

std::string table_of(const std::vector<CheckedGradient>& checked, const std::string& kind) {
  HtmlTable table({{kind},
                   {"", false, "whether the worst gap is within the tolerance"},
                   {"worst gap", true, "relative to the largest gradient of its input"},
                   {"at"},
                   {"expected", true, "by the central difference"},
                   {"got", true, "from the tape"},
                   {"elements", true},
                   {"their gaps", false, "1e-16 to 1, by powers of ten"},
                   {"by step", false, "h from 1e-9 to 1e-2, gaps from 1e-12 to 1e-2"}});
  for (const CheckedGradient& one : checked) {
    const std::vector<double> by_step = shares_of({one.by_step.rbegin(), one.by_step.rend()});
    table.row({one.name,
               one.check.ok() ? "ok" : "FAILED",
               {scientific(one.check.differences.gap, 1), share_of(one.check.differences.gap)},
               one.check.differences.where,
               digits_of(one.check.differences.expected),
               digits_of(one.check.differences.got),
               std::to_string(one.check.differences.checked),
               HtmlTable::Cell::html(spark_bars(histogram(one.check.differences.gaps))),
               HtmlTable::Cell::html(sparkline(by_step, share_of(1e-12), share_of(1e-2)))});
  }
  return table.str();
}

/// The worst ones, as far as colours and lines can be told apart.
std::vector<Curve> curves_of(const std::vector<CheckedGradient>& checked) {
  constexpr std::size_t kMost = 60;
  std::vector<const CheckedGradient*> worst;
  for (const CheckedGradient& one : checked) worst.push_back(&one);
  std::stable_sort(worst.begin(), worst.end(),
                   [](const CheckedGradient* a, const CheckedGradient* b) {
                     return share_of(a->check.differences.gap) > share_of(b->check.differences.gap);
                   });
  if (worst.size() > kMost) worst.resize(kMost);
  std::vector<double> steps(steps_of_sweep().rbegin(), steps_of_sweep().rend());
  std::vector<Curve> curves;
  for (const CheckedGradient* one : worst) {
    std::vector<double> gaps(one->by_step.rbegin(), one->by_step.rend());
    for (double& gap : gaps) gap = std::max(gap, 1e-16);  // a logarithm has no 0
    curves.push_back({one->name, steps, gaps});
  }
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
                " against central differences in f64 with h = " + scientific(options.step, 0) +
                ": " + (failed == 0 ? "all within " : std::to_string(failed) + " beyond ") +
                scientific(options.tolerance, 0) + ". Made by kette gradcheck.");
  page.section(
      "Gaps",
      "<p class=\"note\">The gap of an element is |expected - got| relative to the largest gradient of "
      "its input. Bars are logarithmic, from 1e-16 to 1; so are the two small drawings: how many "
      "elements have which gap, and the worst gap with the steps 1e-9 (left) to 1e-2 (right).</p>\n" +
          table_of(checked, ops ? "op" : "parameter"));
  Chart chart{"The worst gap against the step h", "h", "log-log", curves_of(checked)};
  chart.log_x = chart.log_y = true;
  page.section(
      "Error and step",
      "<p class=\"note\">From the right the error of a difference falls with h\xC2\xB2, until rounding, which "
      "grows with 1/h, takes over: a V. An op that is linear has no right arm, one with a kink a plateau "
      "where h reaches across it; a gradient that is wrong has a line that stays up. Point at a line for its name; click a name to hide it.</p>\n" +
          page.chart(chart));
  return page.str();
}

}  // namespace kette
