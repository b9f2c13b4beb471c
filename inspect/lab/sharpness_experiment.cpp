#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "inspect/lab/experiments.h"
#include "inspect/lab/sharpness.h"
#include "inspect/page/html.h"

namespace kette {
namespace {

std::string of_each(const std::vector<SharpnessRun>& runs,
                    const std::function<std::string(const SharpnessRun&)>& say) {
  std::string list;
  for (const SharpnessRun& run : runs) list += (list.empty() ? "" : ", ") + say(run);
  return list;
}

bool holds_for_all(const std::vector<SharpnessRun>& runs,
                   const std::function<bool(const SharpnessRun&)>& holds) {
  return std::all_of(runs.begin(), runs.end(), holds);
}

/// The share of steps from begin to end after which the loss is larger; 0 of none.
double rising_share(const SharpnessRun& run, double begin, double end) {
  double rising = 0;
  for (auto step = static_cast<std::size_t>(begin); step < static_cast<std::size_t>(end); ++step) {
    if (run.losses[step + 1] > run.losses[step]) ++rising;
  }
  return end > begin ? rising / (end - begin) : 0;
}

/// Up to where sharpness reaches the edge, and from there.
double rising_before(const SharpnessRun& run) {
  return rising_share(run, 0, run.reached() < 0 ? run.steps.back() : run.reached());
}
double rising_after(const SharpnessRun& run) {
  return run.reached() < 0 ? 0 : rising_share(run, run.reached(), run.steps.back());
}

double loss_after_third(const SharpnessRun& run) { return run.losses[run.losses.size() / 3]; }

double difference_gap(const SharpnessRun& run) {
  return std::abs(run.by_product - run.by_difference) / std::abs(run.by_difference);
}

/// Of |H v - lambda v| / lambda.
double largest_residual(const SharpnessRun& run) {
  double largest = 0;
  for (const EigenvalueEstimate& found : run.sharpness) {
    largest = std::max(largest, found.residual / std::abs(found.value));
  }
  return largest;
}

double products_per_value(const SharpnessRun& run) {
  double products = 0;
  for (const EigenvalueEstimate& found : run.sharpness) {
    products += static_cast<double>(found.products);
  }
  return products / static_cast<double>(run.sharpness.size());
}

/// Measurements where a negative eigenvalue had the largest magnitude.
std::int64_t shifted(const SharpnessRun& run) {
  return std::count_if(run.sharpness.begin(), run.sharpness.end(),
                       [](const EigenvalueEstimate& found) { return found.shift > 0; });
}

bool all_settled(const SharpnessRun& run) {
  return std::all_of(run.sharpness.begin(), run.sharpness.end(),
                     [](const EigenvalueEstimate& found) { return found.settled; });
}

std::vector<double> values_of(const SharpnessRun& run) {
  std::vector<double> values;
  for (const EigenvalueEstimate& found : run.sharpness) values.push_back(found.value);
  return values;
}

std::string name_of(const SharpnessRun& run) { return "eta " + fixed(run.step_size, 3); }

std::string step_text(double step) { return step < 0 ? "never" : fixed(step, 0); }
std::string percent(double share) { return fixed(100 * share, 0) + " %"; }

Report numbers_of(const SharpnessRun& run) {
  std::vector<double> residuals;
  std::vector<std::int64_t> products;
  for (const EigenvalueEstimate& found : run.sharpness) {
    residuals.push_back(found.residual);
    products.push_back(found.products);
  }
  return Report::of_facts({{"eta", run.step_size},
                           {"edge", run.edge()},
                           {"reached", run.reached()},
                           {"late_share_of_edge", run.late_share()},
                           {"share_since_reached", run.share_since_reached()},
                           {"steps", run.steps},
                           {"sharpness", values_of(run)},
                           {"residuals", residuals},
                           {"products", products},
                           {"shifted", shifted(run)},
                           {"settled", all_settled(run)},
                           {"loss", run.losses.back()},
                           {"rising_before", rising_before(run)},
                           {"rising_after", rising_after(run)},
                           {"by_product", run.by_product},
                           {"by_difference", run.by_difference}});
}

std::string table_of(const std::vector<SharpnessRun>& runs) {
  HtmlTable table({{"eta"},
                   {"2 / eta"},
                   {"start"},
                   {"reached at"},
                   {"last third"},
                   {"over 2 / eta"},
                   {"since reached"},
                   {"loss"},
                   {"products"},
                   {"residual"},
                   {"shifted"}},
                  "Runs by step size");
  for (const SharpnessRun& run : runs) {
    table.row({fixed(run.step_size, 3), fixed(run.edge(), 1), fixed(run.sharpness[0].value, 2),
               step_text(run.reached()), fixed(run.late_share() * run.edge(), 2),
               fixed(run.late_share(), 3), fixed_or_dash(run.share_since_reached(), 3),
               fixed(run.losses.back(), 4), fixed(products_per_value(run), 1),
               percent(largest_residual(run)), std::to_string(shifted(run))});
  }
  return table.str();
}

/// charts of sharpness, each curve beside its own 2 / eta, and of the loss.
std::string charts_of(const std::vector<SharpnessRun>& runs, Page& page) {
  std::vector<Curve> sharpness, shares, losses;
  int color = 0;
  for (const SharpnessRun& run : runs) {
    const std::vector<double> values = values_of(run);
    Curve share{.name = name_of(run), .x = run.steps, .y = values, .color = color};
    for (double& value : share.y) value /= run.edge();
    Curve loss{.name = name_of(run), .x = {}, .y = {}, .color = color};
    constexpr std::size_t kEvery = 5;  // all would double the page
    for (std::size_t step = 0; step < run.losses.size(); step += kEvery) {
      loss.x.push_back(static_cast<double>(step));
      loss.y.push_back(run.losses[step]);
    }
    sharpness.push_back({.name = name_of(run), .x = run.steps, .y = values, .color = color});
    sharpness.push_back({.name = "2 / eta = " + fixed(run.edge(), 0),
                         .x = {0, run.steps.back()},
                         .y = {run.edge(), run.edge()},
                         .kind = CurveKind::marked,
                         .color = color});
    shares.push_back(std::move(share));
    losses.push_back(std::move(loss));
    ++color;
  }
  return page.chart({.title = "Sharpness, and 2 / eta",
                     .x_title = "step",
                     .y_title = "largest eigenvalue",
                     .curves = sharpness,
                     .log_y = true}) +
         page.chart({.title = "Sharpness over 2 / eta",
                     .x_title = "step",
                     .y_title = "share",
                     .curves = shares}) +
         page.chart({.title = "Loss",
                     .x_title = "step",
                     .y_title = "nats per character",
                     .curves = losses,
                     .log_y = true});
}

}  // namespace

ExperimentReport sharpness_experiment(const ExperimentOptions& options,
                                      const ExperimentProgress& progress, Page& page) {
  SharpnessSizes sizes;
  if (options.quick) {
    sizes = {.width = 8, .windows = 4, .context = 8, .steps = 20, .every = 10, .early_steps = 0};
  }
  std::vector<SharpnessRun> runs;
  for (const double step_size : {0.1, 0.05, 0.025}) {
    const auto before = static_cast<double>(runs.size());
    runs.push_back(
        measure_sharpness(sizes, step_size, options.seed, options.device, [&](double share) {
          progress("gradient descent, eta " + fixed(step_size, 3), (before + share) / 3);
        }));
  }

  ExperimentReport report;
  report.findings = {
      {"Sharpness begins below 2/eta and rises to it: of eta " +
           of_each(runs, [](const auto& run) { return fixed(run.step_size, 3); }) + ", 2/eta " +
           of_each(runs, [](const auto& run) { return fixed(run.edge(), 0); }),
       "progressive sharpening",
       of_each(runs, [](const auto& run) { return fixed(run.sharpness[0].value, 1); }) +
           "; reached at step " +
           of_each(runs, [](const auto& run) { return step_text(run.reached()); }),
       holds_for_all(runs, [](const auto& run) { return run.reached() > 0; })},
      {"and stays there: the mean of the last third of the steps is within 15 % of 2/eta",
       "at 2/eta, or just above",
       of_each(runs, [](const auto& run) { return fixed(run.late_share() * run.edge(), 1); }) +
           ", which is " +
           of_each(runs, [](const auto& run) { return fixed(run.late_share(), 3); }) +
           " of 2/eta; since it was reached, " +
           of_each(runs,
                   [](const auto& run) { return fixed_or_dash(run.share_since_reached(), 3); }),
       holds_for_all(runs, [](const auto& run) { return std::abs(run.late_share() - 1) <= 0.15; })},
      {"Until then the loss falls with each step, from then on it rises with some",
       "monotone, then not",
       of_each(runs, [](const auto& run) { return percent(rising_before(run)); }) + " rise, then " +
           of_each(runs, [](const auto& run) { return percent(rising_after(run)); }),
       holds_for_all(
           runs, [](const auto& run) { return rising_before(run) == 0 && rising_after(run) > 0; })},
      {"and yet falls in the long run: after a third of the steps, and at the end", "falls",
       of_each(runs, [](const auto& run) { return fixed(loss_after_third(run), 3); }) + "; " +
           of_each(runs, [](const auto& run) { return fixed(run.losses.back(), 3); }) + " nats",
       holds_for_all(runs,
                     [](const auto& run) { return run.losses.back() < loss_after_third(run); })},
      {"What power iteration finds is an eigenvalue: |Hv - lambda v| is at most 3 % of lambda, everywhere",
       "0",
       "at most " +
           of_each(runs,
                   [](const auto& run) { return fixed(100 * largest_residual(run), 1) + " %"; }),
       holds_for_all(
           runs,
           [](const auto& run) { return all_settled(run) && largest_residual(run) <= 0.03; })},
      {"The curvature that Hessian-vector products give is that of differences of gradients, to 1e-6",
       "exact",
       "a gap of " +
           of_each(runs,
                   [](const auto& run) { return fixed(1e9 * difference_gap(run), 1) + "e-9"; }),
       holds_for_all(runs, [](const auto& run) { return difference_gap(run) < 1e-6; })}};
  std::vector<Report> of_runs;
  for (const SharpnessRun& run : runs) of_runs.push_back(numbers_of(run));
  report.numbers.facts(
      {{"parameters", runs.front().parameters}, {"tokens", sizes.windows * sizes.context}});
  report.numbers.list("runs", std::move(of_runs));
  report.sections = {
      {"Sharpness along gradient descent",
       charts_of(runs, page) + table_of(runs) +
           note(
               "A GPT of " + std::to_string(runs.front().parameters) + " parameters, trained on " +
               std::to_string(sizes.windows * sizes.context) +
               " characters at once, in f64. Last third, over 2 / eta, since reached: means of "
               "sharpness, the latter two as shares of 2 / eta. Products: of the Hessian with a vector, for "
               "each measurement. Residual: the largest of |Hv - lambda v| / lambda. Shifted: measurements where a negative eigenvalue "
               "had the largest magnitude.")}};
  return report;
}

}  // namespace kette
