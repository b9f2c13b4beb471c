#include "cli/scoring.h"

#include <algorithm>
#include <iostream>

#include "cli/common.h"
#include "data/files/json_text.h"
#include "data/files/unicode.h"
#include "data/files/visible_text.h"
#include "data/metrics/score_hints.h"
#include "data/metrics/significance.h"
#include "tensor/suggestion.h"

namespace kette::cli {
namespace {

/// Those of sacreBLEU's tokenizers that are a SentencePiece model, and any other one.
const std::vector<std::string> kOfModels = {"flores101", "flores200", "spBLEU-1K", "spm"};

BleuOptions bleu_options(const ScoringOptions& o, bool of_sentence = false) {
  BleuOptions options = o.bleu;
  options.lowercase = o.lowercase;
  options.pieces_name = o.pieces;
  if (o.smooth_value >= 0) options.smoothing_value = o.smooth_value;
  options.max_ngram_order = static_cast<int>(o.max_ngram_order);
  options.effective_order = options.effective_order || of_sentence;
  return options;
}

ChrfOptions chrf_options(const ScoringOptions& o) {
  ChrfOptions options = o.chrf;
  options.lowercase = o.lowercase;
  options.char_order = static_cast<int>(o.char_order);
  options.word_order = static_cast<int>(o.metric == "chrf++" ? 2 : o.word_order);
  options.beta = static_cast<int>(o.beta);
  return options;
}

/// sacreBLEU drops white space at the end of a line as it reads it.
ScoreMetric of_stripped_lines(ScoreMetric metric) {
  const auto strip = [](const std::u32string& line) { return std::u32string(strip_right(line)); };
  metric.count = [strip, count = std::move(metric.count)](
                     const std::u32string& hypothesis,
                     const std::vector<std::u32string>& references) {
    std::vector<std::u32string> stripped;
    for (const std::u32string& reference : references) stripped.push_back(strip(reference));
    return count(strip(hypothesis), stripped);
  };
  return metric;
}

/// On stderr, for the score is what it is.
void say_hints(const ScoreLines& translations, const std::vector<ScoreLines>& references,
               const ScoringOptions& o, const std::string& name = "translations") {
  const bool sets_apart = o.metric == "ter" || (o.metric == "bleu" && o.pieces.empty() &&
                                                takes_raw_text(o.bleu.tokenizer));
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
  if (o.metric.starts_with("chrf")) return of_stripped_lines(chrf_metric(chrf_options(o)));
  return bleu_metric(bleu_options(o, of_sentence));
}

void ScoringOptions::check() const {
  const auto refuse = [](const std::string& option, const std::string& expected,
                         const std::string& given) {
    throw UsageError(option + ": expected " + expected + ", given " + given);
  };
  const ScoringOptions none;
  struct Given {
    const char *option, *metric;
    bool is;
  };
  for (const Given& given : std::vector<Given>{
           {"--tokenize", "bleu", bleu.tokenizer != none.bleu.tokenizer || !pieces.empty()},
           {"--spm-model", "bleu", bleu.pieces != nullptr},
           {"--smooth-method", "bleu", bleu.smoothing != none.bleu.smoothing},
           {"--smooth-value", "bleu", smooth_value >= 0},
           {"--max-ngram-order", "bleu", max_ngram_order != none.max_ngram_order},
           {"--effective-order", "bleu", bleu.effective_order},
           {"--chrf-char-order", "chrf", char_order != none.char_order},
           {"--chrf-word-order", "chrf", word_order != none.word_order},
           {"--chrf-beta", "chrf", beta != none.beta},
           {"--chrf-whitespace", "chrf", chrf.whitespace},
           {"--chrf-eps-smoothing", "chrf", chrf.eps_smoothing},
           {"--ter-normalized", "ter", ter.normalized},
           {"--ter-no-punct", "ter", ter.no_punct},
           {"--ter-asian", "ter", ter.asian_support},
           {"--ter-case-sensitive", "ter", ter.case_sensitive}}) {
    const bool fits =
        metric == given.metric || (metric == "chrf++" && given.metric == std::string("chrf") &&
                                   given.option != std::string("--chrf-word-order"));
    if (given.is && !fits) {
      refuse(given.option, std::string("--metric ") + given.metric + " beside it",
             "--metric " + metric);
    }
  }
  if (pieces.empty() != (bleu.pieces == nullptr)) {
    refuse(pieces.empty() ? "--spm-model" : "--tokenize",
           pieces.empty()
               ? "--tokenize " + joined(kOfModels, "|") + " beside it"
               : "--spm-model beside " + pieces + ", the file of that SentencePiece model",
           "none");
  }
  const bool takes_value =
      bleu.smoothing == BleuSmoothing::floor || bleu.smoothing == BleuSmoothing::add_k;
  if (smooth_value >= 0 && !takes_value) {
    refuse("--smooth-value", "--smooth-method floor or add-k beside it",
           std::string(enum_name(bleu.smoothing)));
  }
  if (ter.asian_support && !ter.normalized && !ter.no_punct) {
    refuse("--ter-asian", "--ter-normalized or --ter-no-punct, which it widens", "neither");
  }
}

void add_scoring_options(CLI::App& command, ScoringOptions& options) {
  OptionGroup group(command, "Scoring");
  group.choice("--metric", options.metric, {"bleu", "chrf", "chrf++", "ter"},
               "The score; chrf++ is chrf with words up to order 2; of ter lower is better");
  add_tokenizer_option(group, "--tokenize", options.bleu.tokenizer, "Tokenizer of BLEU",
                       &options.pieces);
  group.custom(
      "--spm-model",
      [&options](const std::string& file) {
        options.bleu.pieces = std::make_shared<const ScorePieces>(file);
      },
      [] { return std::string(); },
      "The SentencePiece model that --tokenize names, which sacreBLEU keeps in ~/.sacrebleu/models",
      "FILE");
  const Option lowercase = group.flag("--lowercase", options.lowercase,
                                      "Compare lower-cased text, which ter does anyway");
  group.choice("--smooth-method", options.bleu.smoothing,
               "What stands in BLEU for an order without a match");
  group.number("--smooth-value", options.smooth_value, at_least(0),
               "That of floor or add-k (default: 0.1, 1)");
  constexpr double kMostOrders = 101;
  group.number("--max-ngram-order", options.max_ngram_order, {1, true, kMostOrders},
               "Words of BLEU's longest n-grams");
  group.flag("--effective-order", options.bleu.effective_order,
             "BLEU leaves out orders that the text is too short for, as of a line it always does");
  group.number("--chrf-char-order", options.char_order, {1, true, kMostOrders},
               "Characters of chrF's longest n-grams");
  group.number("--chrf-word-order", options.word_order, {0, true, kMostOrders},
               "Words of its longest n-grams of words; 2 makes it chrF++");
  group.number("--chrf-beta", options.beta, {1, true, kMostOrders},
               "How much more recall counts in chrF than precision");
  group.flag("--chrf-whitespace", options.chrf.whitespace, "chrF counts white space, too");
  group.flag("--chrf-eps-smoothing", options.chrf.eps_smoothing,
             "chrF averages the scores of all orders, as chrF++.py does");
  group.flag("--ter-normalized", options.ter.normalized, "TER sets punctuation apart");
  group.flag("--ter-no-punct", options.ter.no_punct, "TER leaves punctuation out");
  group.flag("--ter-asian", options.ter.asian_support, "They do so in Chinese and Japanese, too");
  group.flag("--ter-case-sensitive", options.ter.case_sensitive, "TER looks at case")
      .excludes(lowercase);
  group.flag("--confidence", options.confidence,
             "Add the 95 % interval of 1000 bootstrap resamples");
}

Option add_tokenizer_option(OptionGroup& group, const std::string& name, ScoreTokenizer& tokenizer,
                            const std::string& help, std::string* pieces) {
  std::vector<std::string> names = all_names<ScoreTokenizer>();
  if (pieces != nullptr) names.insert(names.end(), kOfModels.begin(), kOfModels.end());
  const auto set = [&tokenizer, pieces, names](const std::string& text) {
    KETTE_CHECK(
        text != "ja-mecab" && text != "ko-mecab", "expected ", joined(names, "|"), ", given ", text,
        ", which takes MeCab and a dictionary that Kette has not (set the words of both sides apart "
        "with them, mecab -Owakati, and take none)");
    const bool is_known = std::find(names.begin(), names.end(), text) != names.end();
    KETTE_CHECK(is_known, "expected ", joined(names, "|"), ", given ", text,
                did_you_mean(text, names));
    const bool is_of_model = std::find(kOfModels.begin(), kOfModels.end(), text) != kOfModels.end();
    if (pieces != nullptr) *pieces = is_of_model ? text : "";
    tokenizer = is_of_model ? ScoreTokenizer::v13a : enum_named<ScoreTokenizer>(text);
  };
  const auto current = [&tokenizer, pieces] {
    return pieces != nullptr && !pieces->empty() ? *pieces : std::string(enum_name(tokenizer));
  };
  return group.custom(name, set, current, help, joined(names, "|"));
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
