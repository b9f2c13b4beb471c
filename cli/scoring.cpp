#include "cli/scoring.h"

#include <iostream>

#include "cli/common.h"
#include "data/files/json_text.h"
#include "data/files/visible_text.h"
#include "data/metrics/bleu.h"
#include "data/metrics/chrf.h"
#include "data/metrics/score_hints.h"
#include "data/metrics/significance.h"

namespace kette::cli {
namespace {

BleuOptions bleu_options(const ScoringOptions& o, bool of_sentence = false) {
  BleuOptions options;
  options.lowercase = o.lowercase;
  options.tokenizer = o.tokenize;
  options.effective_order = of_sentence;
  return options;
}

/// On stderr, for the score is what it is.
void say_hints(const ScoreLines& translations, const std::vector<ScoreLines>& references,
               const ScoringOptions& o, const std::string& name = "translations") {
  const bool sets_apart = o.metric == "ter" || (o.metric == "bleu" && takes_raw_text(o.tokenize));
  for (const std::string& hint : score_hints(translations, references, sets_apart, name)) {
    std::cerr << "kette: " << visible(hint) << "\n";
  }
}

/// What format() prints beside the score.
void add_confidence(const CorpusScore& score, Json& json) {
  if (!score.interval) return;
  json["confidence"] = {{"mean", score.interval->mean}, {"half_width", score.interval->half_width}};
}

}  // namespace

ScoreMetric metric_of(const ScoringOptions& o, bool of_sentence) {
  if (o.metric == "ter") return ter_metric(o.ter);
  if (o.metric == "chrf") {
    ChrfOptions options;
    options.lowercase = o.lowercase;
    return chrf_metric(options);
  }
  return bleu_metric(bleu_options(o, of_sentence));
}

void ScoringOptions::check() const {
  const auto refuse = [](const std::string& option, const std::string& expected,
                         const std::string& given) {
    throw UsageError(option + ": expected " + expected + ", given " + given);
  };
  const std::string of_ter = ter.normalized       ? "--ter-normalized"
                             : ter.no_punct       ? "--ter-no-punct"
                             : ter.asian_support  ? "--ter-asian"
                             : ter.case_sensitive ? "--ter-case-sensitive"
                                                  : "";
  if (!of_ter.empty() && metric != "ter") {
    refuse(of_ter, "--metric ter beside it", "--metric " + metric);
  }
  if (tokenize != ScoringOptions().tokenize && metric != "bleu") {
    refuse("--tokenize", "--metric bleu beside it", "--metric " + metric);
  }
  if (ter.asian_support && !ter.normalized && !ter.no_punct) {
    refuse("--ter-asian", "--ter-normalized or --ter-no-punct, which it widens", "neither");
  }
}

void add_scoring_options(CLI::App& command, ScoringOptions& options) {
  OptionGroup group(command, "Scoring");
  group.choice("--metric", options.metric, {"bleu", "chrf", "ter"},
               "The score; of ter lower is better");
  group.choice("--tokenize", options.tokenize, "Tokenizer of BLEU");
  const Option lowercase = group.flag("--lowercase", options.lowercase,
                                      "Compare lower-cased text, which ter does anyway");
  group.flag("--ter-normalized", options.ter.normalized, "TER sets punctuation apart");
  group.flag("--ter-no-punct", options.ter.no_punct, "TER leaves punctuation out");
  group.flag("--ter-asian", options.ter.asian_support, "They do so in Chinese and Japanese, too");
  group.flag("--ter-case-sensitive", options.ter.case_sensitive, "TER looks at case")
      .excludes(lowercase);
  group.flag("--confidence", options.confidence,
             "Add the 95 % interval of 1000 bootstrap resamples");
}

double score_sentence(std::string_view hypothesis, const ScoreLines& references,
                      const ScoringOptions& o) {
  std::vector<ScoreLines> one_line_each;
  for (const std::string_view reference : references) one_line_each.push_back({reference});
  return ScoreStatistics(metric_of(o, true), {hypothesis}, one_line_each).score();
}

nlohmann::ordered_json print_scores(const ScoreLines& translations,
                                    const std::vector<ScoreLines>& references,
                                    const OtherSystem& other, const ScoringOptions& o) {
  BootstrapOptions bootstrap;
  if (o.confidence) bootstrap.samples = SignificanceOptions().resamples;
  const ScoreStatistics statistics(metric_of(o), translations, references);
  const CorpusScore score = corpus_score(statistics, bootstrap);
  say_hints(translations, references, o);
  if (!other.name.empty()) say_hints(other.translations, {}, o, "translations of " + other.name);
  std::cout << score.format(2, true) << "\n";
  Json json{{"metric", o.metric}, {"score", score.score}, {"signature", score.signature}};
  add_confidence(score, json);
  if (o.metric == "bleu") {
    const BleuScore bleu = bleu_of(statistics.sum(), bleu_options(o));
    json["precisions"] = bleu.precisions;
    json["brevity_penalty"] = bleu.brevity_penalty;
    json["hyp_len"] = bleu.hyp_len;
    json["ref_len"] = bleu.ref_len;
  }
  if (other.name.empty()) return json;

  json["against"] = print_comparison(statistics, other.name,
                                     {metric_of(o), other.translations, references}, bootstrap);
  return json;
}

nlohmann::ordered_json print_comparison(const ScoreStatistics& system,
                                        const std::string& other_name, const ScoreStatistics& other,
                                        const BootstrapOptions& bootstrap) {
  const SignificanceOptions drawn;
  const CorpusScore other_score = corpus_score(other, bootstrap);
  const SignificanceTests tests = test_significance(system, other, drawn);
  const double difference = system.score() - other_score.score;
  std::cout << for_stdout(other_name) << ": " << other_score.format() << "\n"
            << text(
                   "difference %+.2f: p = %.4f by paired bootstrap resampling (bs:%d|seed:%llu), "
                   "p = %.4f by paired approximate randomisation (ar:%d|seed:%llu)\n",
                   difference, tests.bootstrap_p, drawn.resamples,
                   static_cast<unsigned long long>(drawn.seed), tests.randomisation_p, drawn.trials,
                   static_cast<unsigned long long>(drawn.seed));
  Json json{{"name", other_name},
            {"score", other_score.score},
            {"difference", difference},
            {"bootstrap_p", tests.bootstrap_p},
            {"randomisation_p", tests.randomisation_p},
            {"resamples", drawn.resamples},
            {"trials", drawn.trials},
            {"seed", drawn.seed}};
  add_confidence(other_score, json);
  return json;
}

}  // namespace kette::cli
