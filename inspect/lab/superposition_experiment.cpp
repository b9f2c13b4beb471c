#include <algorithm>
#include <cmath>

#include "inspect/lab/experiments.h"
#include "inspect/lab/superposition.h"
#include "inspect/page/heat_map.h"
#include "inspect/page/html.h"

namespace kette {
namespace {

/// Of the features that are represented.
std::vector<double> represented_shares(const DenseMatrix& w) {
  std::vector<double> shares = feature_dimensionalities(w);
  std::erase(shares, 0.0);
  std::sort(shares.begin(), shares.end());
  return shares;
}

/// The share of values within 0.03 of a half.
double share_at_half(const std::vector<double>& values) {
  const auto near = std::count_if(values.begin(), values.end(),
                                  [](double value) { return std::abs(value - 0.5) < 0.03; });
  return values.empty() ? 0 : static_cast<double>(near) / static_cast<double>(values.size());
}

std::vector<double> inverses(const std::vector<double>& values) {
  std::vector<double> result;
  for (const double value : values) result.push_back(1 / value);
  return result;
}

/// |W W^T|, which is the unit matrix where features are orthogonal.
std::string overlaps(const std::string& title, const DenseMatrix& w) {
  const DenseMatrix products = product(w, transposed(w));
  std::vector<float> values;
  for (const double value : products.values) values.push_back(static_cast<float>(std::abs(value)));
  const std::string last = std::to_string(w.rows - 1);
  return titled_heat_map({.title = title,
                          .rows = w.rows,
                          .columns = w.rows,
                          .values = values,
                          .row_labels = "feature",
                          .column_labels = "feature",
                          .note = "|W W^T|",
                          .unit = "|W W^T|",
                          .axes = "features 0 to " + last + ", down and across"});
}

}  // namespace

ExperimentReport superposition_experiment(const ExperimentOptions& options,
                                          const ExperimentProgress& progress, Page& page) {
  SuperpositionSizes fading{.densities = {1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01}};
  SuperpositionSizes equal{
      .features = 100,
      .dimensions = 20,
      .fading = 1,
      .densities = {1, 0.7, 0.5, 0.42, 0.35, 0.3, 0.25, 0.18, 0.13, 0.09, 0.065, 0.045, 0.03}};
  if (options.quick) fading.steps = equal.steps = 20;
  const auto train = [&](const SuperpositionSizes& sizes, double begin) {
    return train_superposition(sizes, options.seed, options.device, [&](double share) {
      progress(std::to_string(sizes.features) + " features in " + std::to_string(sizes.dimensions) +
                   " dimensions",
               begin + share / 2);
    });
  };
  const std::vector<DenseMatrix> fading_maps = train(fading, 0), equal_maps = train(equal, 0.5);

  std::vector<double> counts;
  std::string counts_text, densities_at_half, maps;
  for (std::size_t i = 0; i < fading_maps.size(); ++i) {
    counts.push_back(static_cast<double>(represented_shares(fading_maps[i]).size()));
    counts_text += (i > 0 ? ", " : "") + fixed(counts.back(), 0);
    maps += overlaps("present " + fixed(100 * fading.densities[i], 0) + " % of the time",
                     fading_maps[i]);
  }
  std::vector<double> at_half, dimensions_each;
  Curve least{"least dimensionality", inverses(equal.densities), {}}, median{"median", least.x, {}},
      most{"most", least.x, {}};
  std::int64_t stuck = 0;
  for (std::size_t i = 0; i < equal_maps.size(); ++i) {
    const std::vector<double> shares = represented_shares(equal_maps[i]);
    at_half.push_back(share_at_half(shares));
    if (at_half.back() >= 0.9) {
      densities_at_half += (stuck++ > 0 ? ", " : "") + fixed(equal.densities[i], 2);
    }
    const double norm = frobenius_norm(equal_maps[i]);
    dimensions_each.push_back(static_cast<double>(equal.dimensions) / (norm * norm));
    const bool any = !shares.empty();
    least.y.push_back(any ? shares.front() : NAN);
    median.y.push_back(any ? shares[shares.size() / 2] : NAN);
    most.y.push_back(any ? shares.back() : NAN);
  }
  const std::vector<double> dense = represented_shares(fading_maps.front());
  const auto m = static_cast<double>(fading.dimensions);

  ExperimentReport report;
  report.findings = {
      {"Features that are always present: as many are represented as there are dimensions",
       "all of them", fixed(counts.front(), 0) + " in " + fixed(m, 0), counts.front() == m},
      {"and those are orthogonal: each has a dimension of its own (dimensionality above 0.95)", "1",
       "at least " + fixed(dense.empty() ? 0 : dense.front(), 3),
       !dense.empty() && dense.front() > 0.95},
      {"Features that are seldom present: more are represented than there are dimensions", "more",
       fixed(counts.back(), 0) + " in " + fixed(m, 0), counts.back() > m},
      {"and ever more, the more seldom they are", "rises", counts_text,
       std::is_sorted(counts.begin(), counts.end()) && counts.back() > counts.front()},
      {"Of equal importance, features pair up: over a range of densities nine of ten have a dimensionality "
       "within 0.03 of 1/2",
       "sticks at 1/2", stuck > 0 ? "at densities " + densities_at_half : "at none", stuck >= 2}};
  report.numbers.inner(
      "fading", Report::of_facts({{"densities", fading.densities}, {"represented", counts}}));
  report.numbers.inner("equal", Report::of_facts({{"densities", equal.densities},
                                                  {"dimensions_per_feature", dimensions_each},
                                                  {"share_at_half", at_half}}));
  std::vector<std::string> labels;
  for (std::int64_t i = 0; i < fading.features; ++i) labels.push_back(std::to_string(i));
  page.label("feature", labels);
  report.sections = {
      {"20 features in 5 dimensions, each less important than the one before",
       page.chart({.title = "Features represented",
                   .x_title = "1 / density",
                   .y_title = "features",
                   .curves = {{"features", inverses(fading.densities), counts}},
                   .log_x = true}) +
           "<div class=\"strips\">" + maps + "</div>\n"},
      {"100 equal features in 20 dimensions",
       page.chart({.title = "Dimensions per feature, m / |W|^2",
                   .x_title = "1 / density",
                   .y_title = "dimensions",
                   .curves = {{"dimensions", least.x, dimensions_each}},
                   .log_x = true}) +
           page.chart({.title = "Dimensionality of the features that are represented",
                       .x_title = "1 / density",
                       .y_title = "dimensionality",
                       .curves = {most, median, least},
                       .log_x = true})}};
  return report;
}

}  // namespace kette
