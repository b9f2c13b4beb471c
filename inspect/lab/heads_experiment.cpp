#include <algorithm>

#include "inspect/heads/head_maps.h"
#include "inspect/lab/experiments.h"
#include "inspect/lab/pruning_study.h"
#include "inspect/page/html.h"

namespace kette {
namespace {

std::string left_text(const GatedResult& result) {
  return std::to_string(result.open[0]) + "/" + std::to_string(result.open[1]) + "/" +
         std::to_string(result.open[2]);
}

/// How much the encoder's heads that are open, or those that are shut, keep to one place relative to their own.
double positional(const PruningStudy& study, const GatedResult& gates, bool open) {
  double sum = 0, counted = 0;
  for (std::size_t i = 0; i < study.heads.size(); ++i) {
    if (study.kind(i) != AttentionKind::encoder || gates.is_open[i] != open) continue;
    counted += 1;
    sum += std::max({study.scores[i].previous, study.scores[i].same, study.scores[i].next});
  }
  return counted > 0 ? sum / counted : 0;
}

std::vector<Finding> findings_of_masking(const PruningStudy& study) {
  const auto significant = std::count_if(study.without.begin(), study.without.end(),
                                         [](const MaskedResult& one) { return one.p < 0.01; });
  const PruningCurve random = study.mean_at_random();
  const auto &encoder = study.of_kinds[0], &decoder = study.of_kinds[1], &cross = study.of_kinds[2];
  const auto losses = [](const PruningCurve& curve) {
    return fixed(curve.loss_at(0.2), 2) + ", " + fixed(curve.loss_at(0.4), 2) + ", " +
           fixed(curve.loss_at(0.6), 2);
  };
  const auto better = [&](const PruningCurve& curve) {
    return curve.loss_at(0.2) < random.loss_at(0.2) && curve.loss_at(0.4) < random.loss_at(0.4) &&
           curve.loss_at(0.6) < random.loss_at(0.6);
  };
  return {{"Most heads can be masked alone: at most a quarter change BLEU significantly (p < 0.01)",
           "8 of 96", std::to_string(significant) + " of " + std::to_string(study.heads.size()),
           4 * significant <= std::ssize(study.heads)},
          {"A fifth of all heads, the least important first, go for less than 1 BLEU", "none lost",
           fixed(study.by_importance.loss_at(0.2), 2) + " of " + fixed(study.whole, 2),
           study.by_importance.loss_at(0.2) < 1},
          {"In the order of importance less is lost than in a random one, without 20, 40 and 60 %",
           "less", losses(study.by_importance) + " against " + losses(random),
           better(study.by_importance)},
          {"and with the importance normalised within each attention, as the paper has it", "less",
           losses(study.by_normalized) + " against " + losses(random), better(study.by_normalized)},
          {"Attention to the source suffers most, with a fifth of the heads of a kind left",
           "catastrophic; the others keep 30 of 36 BLEU",
           fixed(cross.loss_at(0.8), 2) + " lost against " + fixed(encoder.loss_at(0.8), 2) +
               " (encoder) and " + fixed(decoder.loss_at(0.8), 2) + " (decoder)",
           cross.loss_at(0.8) > std::max(encoder.loss_at(0.8), decoder.loss_at(0.8))}};
}

std::vector<Finding> findings_of_gates(const PruningStudy& study) {
  const std::optional<GatedResult> encoder = study.cheapest(study.gates_on_encoder),
                                   all = study.cheapest(study.gates_on_all);
  const OfKinds& counts = study.counts;
  // a's share of its kind is less than b's.
  const auto fewer = [&](std::size_t a, std::size_t b) {
    return all->open[a] * counts[b] < all->open[b] * counts[a];
  };
  const double open = encoder ? positional(study, *encoder, true) : 0,
               shut = encoder ? positional(study, *encoder, false) : 0;
  return {
      {"Gates that learn shut at least half of the encoder's heads for at most 0.5 BLEU",
       "38 of 48 for 0.15",
       encoder ? std::to_string(counts[0] - encoder->open[0]) + " of " + std::to_string(counts[0]) +
                     " for " + fixed(study.whole - encoder->bleu, 2)
               : "none",
       encoder && 2 * encoder->open[0] <= counts[0]},
      {"Gates on all heads shut at least half of them for at most 0.5 BLEU",
       "12/21/25 are left of 48/48/48 for 0.24",
       all ? left_text(*all) + " are left for " + fixed(study.whole - all->bleu, 2) : "none",
       all && 2 * all->left() <= std::ssize(study.heads)},
      {"and leave the encoder the fewest, relatively, and attention to the source the most",
       "12, 21 and 25 of 48", all ? left_text(*all) : "none",
       all && fewer(0, 2) && !fewer(1, 0) && !fewer(2, 1)},
      {"Of the encoder's heads, those left keep more to one place (before, at or after their own) than "
       "those shut",
       "positional heads are left",
       fixed(100 * open, 0) + " % against " + fixed(100 * shut, 0) + " %", open > shut}};
}

Report numbers_of(const PruningStudy& study) {
  std::vector<Report> heads;
  for (std::size_t i = 0; i < study.heads.size(); ++i) {
    heads.push_back(
        Report::of_facts({{"attention", study.attentions[study.heads[i].attention].name()},
                          {"head", study.heads[i].head},
                          {"change", study.without[i].change},
                          {"p", study.without[i].p},
                          {"importance", study.importance[i].mean}}));
  }
  std::vector<std::vector<double>> random;
  for (const PruningCurve& curve : study.at_random) random.push_back(curve.bleu);
  const auto listed = [](const std::vector<GatedResult>& results) {
    std::vector<Report> list;
    for (const GatedResult& result : results) {
      list.push_back(Report::of_facts(
          {{"penalty", result.penalty},
           {"bleu", result.bleu},
           {"left", std::vector<std::int64_t>(result.open.begin(), result.open.end())}}));
    }
    return list;
  };
  Report numbers = Report::of_facts({{"bleu", study.whole}});
  numbers.list("heads", std::move(heads));
  numbers.facts(
      {{"shares", std::vector<double>(PruningCurve::kShares.begin(), PruningCurve::kShares.end())},
       {"by_importance", study.by_importance.bleu},
       {"by_normalized", study.by_normalized.bleu},
       {"random", random}});
  numbers.list("gates_on_encoder", listed(study.gates_on_encoder));
  numbers.list("gates_on_all", listed(study.gates_on_all));
  for (std::size_t kind = 0; kind < kAttentionKinds.size(); ++kind) {
    numbers.fact(enum_name(kAttentionKinds[kind]), study.of_kinds[kind].bleu);
  }
  return numbers;
}

Curve curve_of(const std::string& name, const PruningCurve& curve) {
  Curve drawn{name, {}, curve.bleu, CurveKind::marked};
  for (const double share : PruningCurve::kShares) drawn.x.push_back(100 * share);
  return drawn;
}

std::string masking_section(const PruningStudy& study, Page& page) {
  std::vector<Curve> orders = {curve_of("least important first", study.by_importance),
                               curve_of("the same, normalised", study.by_normalized)},
                     kinds;
  for (std::size_t i = 0; i < study.at_random.size(); ++i) {
    orders.push_back(curve_of("random order " + std::to_string(i + 1), study.at_random[i]));
    orders.back().color = 2;
    orders.back().legend = "random order";
  }
  for (std::size_t kind = 0; kind < kAttentionKinds.size(); ++kind) {
    kinds.push_back(curve_of(enum_name(kAttentionKinds[kind]), study.of_kinds[kind]));
  }
  return page.chart({"In the order of importance and at random", "% of all heads masked", "BLEU",
                     orders}) +
         page.chart({"Of one kind, the least important first", "% of the kind's heads masked",
                     "BLEU", kinds});
}

std::string gates_section(const PruningStudy& study, Page& page) {
  HtmlTable table({{"gates on"},
                   {"penalty", true},
                   {"encoder", true},
                   {"decoder", true},
                   {"cross", true},
                   {"BLEU", true}},
                  "Runs with gates");
  std::vector<Curve> curves;
  const auto add = [&](const std::string& name, std::vector<GatedResult> results) {
    for (const GatedResult& result : results) {
      table.row({name, fixed(result.penalty, 3), std::to_string(result.open[0]),
                 std::to_string(result.open[1]), std::to_string(result.open[2]),
                 fixed(result.bleu, 2)});
    }
    std::sort(results.begin(), results.end(),
              [](const GatedResult& a, const GatedResult& b) { return a.left() < b.left(); });
    Curve curve{"gates on " + name, {}, {}, CurveKind::marked};
    for (const GatedResult& result : results) {
      curve.x.push_back(static_cast<double>(result.left()));
      curve.y.push_back(result.bleu);
    }
    curves.push_back(curve);
  };
  add("the encoder's heads", study.gates_on_encoder);
  add("all heads", study.gates_on_all);
  return page.chart({"What is left", "heads that are left", "BLEU", curves}) + table.str() +
         note(
             "Each run goes on from the same trained model, which learns on with its gates. The "
             "paper keeps the decoder as it is where the gates are on the encoder's heads.");
}

std::string heads_section(const PruningStudy& study) {
  const std::optional<GatedResult> all = study.cheapest(study.gates_on_all);
  HtmlTable table({{"attention"},
                   {"head", true},
                   {"BLEU without it", true},
                   {"importance", true},
                   {"looks back", true},
                   {"at itself", true},
                   {"on", true},
                   {"alignment", true},
                   {"left by gates"}},
                  "Each head");
  HeadNumbers without_it{.title = "BLEU lost without it", .values = {}, .unit = "BLEU"},
      importance{.title = "importance", .values = {}, .unit = "nats a sentence", .decimals = 3};
  for (std::size_t i = 0; i < study.heads.size(); ++i) {
    const Head& head = study.heads[i];
    const HeadScores& scores = study.scores[i];
    const MaskedResult& without = study.without[i];
    without_it.values.push_back(-without.change);
    importance.values.push_back(study.importance[i].mean);
    table.row({study.attentions[head.attention].name(), std::to_string(head.head),
               fixed(without.change, 2) + (without.p < 0.01 ? " *" : ""),
               fixed(study.importance[i].mean, 3), HtmlTable::share(scores.previous),
               HtmlTable::share(scores.same), HtmlTable::share(scores.next),
               HtmlTable::share(scores.alignment), all && all->is_open[i] ? "yes" : "no"});
  }
  return head_maps(study.attentions, without_it) + head_maps(study.attentions, importance) +
         folded("All numbers of each head, a row a head", table.str()) +
         note(
             "* p < 0.01 by paired bootstrap. Left by gates: by those on all heads, of the run with "
             "the fewest heads for at most 0.5 BLEU.");
}

}  // namespace

ExperimentReport heads_experiment(const ExperimentOptions& options,
                                  const ExperimentProgress& progress, Page& page) {
  const PruningStudy study = study_pruning(options, progress);
  ExperimentReport report;
  report.findings = findings_of_masking(study);
  const std::vector<Finding> of_gates = findings_of_gates(study);
  report.findings.insert(report.findings.end(), of_gates.begin(), of_gates.end());
  report.numbers = numbers_of(study);
  report.sections = {{"Heads that are masked", masking_section(study, page)},
                     {"Gates that learn to shut", gates_section(study, page)},
                     {"Each head", heads_section(study)}};
  return report;
}

}  // namespace kette
