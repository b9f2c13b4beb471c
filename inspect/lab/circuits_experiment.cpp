#include <algorithm>
#include <cmath>

#include "inspect/heads/head_circuits.h"
#include "inspect/heads/head_maps.h"
#include "inspect/lab/experiments.h"
#include "inspect/page/html.h"
#include "models/model_directory.h"

namespace kette {
namespace {

constexpr std::size_t kShownPairs = 100;

/// Of a head's two circuits.
struct Spectra {
  std::vector<double> query_key, output_value;
};

/// The first singular value that the head's width rules out, as a share of the largest.
double beyond_rank(const std::vector<double>& values, std::int64_t rank) {
  return rank < std::ssize(values) && values[0] > 0 ? values[rank] / values[0] : 0;
}

struct ComposedPair {
  std::size_t earlier, later;
  Composition over_random;
};

/// All pairs of heads of self-attentions of one stack, in layers one above the other.
std::vector<ComposedPair> composed_pairs(const AutoregressiveModel& model,
                                         const std::vector<HeadCircuit>& circuits, double random) {
  const auto attentions = attentions_of(model);
  const auto heads = heads_of(attentions);
  std::vector<ComposedPair> pairs;
  for (std::size_t later = 0; later < heads.size(); ++later) {
    for (std::size_t earlier = 0; earlier < later; ++earlier) {
      const AttentionPart &from = attentions[heads[earlier].attention],
                          &to = attentions[heads[later].attention];
      if (from.kind != to.kind || to.kind == AttentionKind::cross || from.layer == to.layer)
        continue;
      const Composition found = composition(circuits[earlier], circuits[later]);
      pairs.push_back(
          {earlier, later, {found.query - random, found.key - random, found.value - random}});
    }
  }
  return pairs;
}

/// In the colour of the head's kind.
Curve spectrum_curve(const std::string& name, AttentionKind kind, const std::vector<double>& values,
                     std::int64_t rank) {
  Curve curve{name, {}, {}, CurveKind::line, static_cast<int>(kind), enum_name(kind)};
  for (std::int64_t i = 0; i < std::min(rank, std::ssize(values)); ++i) {
    curve.x.push_back(static_cast<double>(i + 1));
    curve.y.push_back(values[0] > 0 ? values[i] / values[0] : 0);
  }
  return curve;
}

}  // namespace

ExperimentReport circuits_experiment(const ExperimentOptions& options,
                                     const ExperimentProgress& progress, Page& page) {
  KETTE_CHECK(!options.model.empty(), "lab circuits: expected --model, given none");
  const auto saved = load_model<AutoregressiveModel>(options.model, {}, options.device);
  const AutoregressiveModel& model = *saved.model;
  const auto attentions = attentions_of(model);
  const auto heads = heads_of(attentions);
  const std::vector<HeadCircuit> circuits = head_circuits(model);
  const std::int64_t width = circuits[0].query.columns, head_width = circuits[0].query.rows;
  const bool is_pre_norm = model.decoder_norm() != nullptr;
  const auto name_of = [&](std::size_t i) {
    return attentions[heads[i].attention].name() + " head " + std::to_string(heads[i].head);
  };
  std::vector<Spectra> spectra;
  double beyond_qk = 0, beyond_ov = 0;
  for (std::size_t i = 0; i < circuits.size(); ++i) {
    progress("singular values, " + name_of(i),
             static_cast<double>(i) / static_cast<double>(circuits.size()));
    spectra.push_back(
        {singular_values(circuits[i].query_key()), singular_values(circuits[i].output_value())});
    beyond_qk = std::max(beyond_qk, beyond_rank(spectra[i].query_key, head_width));
    beyond_ov = std::max(beyond_ov, beyond_rank(spectra[i].output_value, head_width));
  }
  const std::vector<double> copying = copying_scores(model);
  const double random = random_composition(width, head_width, options.seed);
  std::vector<ComposedPair> pairs = composed_pairs(model, circuits, random);
  const auto strongest = [](const Composition& c) { return std::max({c.query, c.key, c.value}); };
  std::sort(pairs.begin(), pairs.end(), [&](const ComposedPair& a, const ComposedPair& b) {
    return strongest(a.over_random) > strongest(b.over_random);
  });

  ExperimentReport report;
  const std::string rank = std::to_string(head_width) + " of " + std::to_string(width);
  constexpr double kZero = 1e-12;
  const auto ruled_out = [&](double beyond) {
    return "the next singular value is " + fixed(1e15 * beyond, 1) + "e-15 of the largest, at most";
  };
  report.findings = {{"QK has the rank of the head's width, " + rank + ", at most", "exactly",
                      ruled_out(beyond_qk), beyond_qk < kZero},
                     {"and OV likewise", "exactly", ruled_out(beyond_ov), beyond_ov < kZero}};
  const auto copies = std::count_if(copying.begin(), copying.end(), [](double s) { return s > 0; }),
             none = std::count_if(copying.begin(), copying.end(),
                                  [](double s) { return std::isnan(s); }),
             counted = std::ssize(copying) - none;
  report.findings.push_back(
      {"Most heads copy: the eigenvalues of their OV circuit are more positive than negative",
       "10 of 12, one layer of attention",
       std::to_string(copies) + " of " + std::to_string(counted), 2 * copies > counted});
  if (!pairs.empty()) {
    const ComposedPair& best = pairs.front();
    report.findings.push_back(
        {"Heads compose: the strongest pair does so more than random matrices, " + fixed(random, 3),
         "more",
         name_of(best.earlier) + " and " + name_of(best.later) + ": " +
             fixed(strongest(best.over_random), 3) + " more",
         strongest(best.over_random) > 0});
  }

  std::vector<Report> of_heads, of_pairs;
  std::vector<Curve> query_key, output_value;
  for (std::size_t i = 0; i < heads.size(); ++i) {
    const AttentionKind kind = attentions[heads[i].attention].kind;
    query_key.push_back(spectrum_curve(name_of(i), kind, spectra[i].query_key, head_width));
    output_value.push_back(spectrum_curve(name_of(i), kind, spectra[i].output_value, head_width));
    of_heads.push_back(Report::of_facts({{"head", name_of(i)},
                                         {"copying", copying[i]},
                                         {"query_key", query_key.back().y},
                                         {"output_value", output_value.back().y}}));
  }
  HtmlTable composed({{"earlier"},
                      {"later"},
                      {"query", true, "of the earlier head's output as the later one's query"},
                      {"key", true, "as its key"},
                      {"value", true, "as its value"}},
                     "Pairs of heads that compose");
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const auto& [query, key, value] = pairs[i].over_random;
    const std::string earlier = name_of(pairs[i].earlier), later = name_of(pairs[i].later);
    of_pairs.push_back(Report::of_facts({{"earlier", earlier},
                                         {"later", later},
                                         {"query", query},
                                         {"key", key},
                                         {"value", value}}));
    if (i < kShownPairs) {
      composed.row({earlier, later, fixed(query, 3), fixed(key, 3), fixed(value, 3)});
    }
  }
  report.numbers.facts(
      {{"width", width}, {"head_width", head_width}, {"random_composition", random}});
  report.numbers.list("heads", std::move(of_heads));
  report.numbers.list("pairs", std::move(of_pairs));
  report.sections = {
      {"Singular values",
       page.chart({"Of QK, over the largest", "which, the largest first", "share", query_key}) +
           page.chart(
               {"Of OV, over the largest", "which, the largest first", "share", output_value})},
      {"Copying",
       note(
           "The sum of the eigenvalues of a head's OV circuit over that of their moduli: 1 copies what it "
           "looks at (blue), &#8722;1 says anything but that (orange).") +
           head_maps(attentions, {.title = "copying", .values = copying, .most = 1})},
      {"Composition",
       "<p>How much of what the earlier head writes the later one reads as its query, key or value, "
       "over what random matrices would have. The norms between them are left out" +
           std::string(is_pre_norm ? " but for the gain of the one that is read through" : "") +
           "; the strongest " + std::to_string(std::min(kShownPairs, pairs.size())) + " of " +
           std::to_string(pairs.size()) + " pairs.</p>" + composed.str()}};
  return report;
}

}  // namespace kette
