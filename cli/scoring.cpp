#include "cli/scoring.h"

#include "data/metrics/bleu.h"
#include "data/metrics/chrf.h"

namespace kette::cli {
namespace {

constexpr int kResamples = 1000;

BleuOptions bleu_options(const ScoringOptions& o) {
  BleuOptions options;
  options.lowercase = o.lowercase;
  options.tokenizer = o.tokenize;
  return options;
}

ChrfOptions chrf_options(const ScoringOptions& o) {
  ChrfOptions options;
  options.lowercase = o.lowercase;
  return options;
}

template <class Score>
ScoreLine line_of(const Score& score) {
  return {score.format(2, true), score.score, score.signature};
}

}  // namespace

void add_scoring_options(CLI::App& command, ScoringOptions& options) {
  OptionGroup group(command, "Scoring");
  group.choice("--metric", options.metric, {"bleu", "chrf"}, "The score");
  group.choice("--tokenize", options.tokenize, "Tokenizer of BLEU");
  group.flag("--lowercase", options.lowercase, "Compare lower-cased text");
  group.flag("--confidence", options.confidence,
             "Add the 95 % interval of 1000 bootstrap resamples");
}

ScoreLine score_corpus(const ScoreLines& hypotheses, const std::vector<ScoreLines>& references,
                       const ScoringOptions& o) {
  BootstrapOptions bootstrap;
  if (o.confidence) bootstrap.samples = kResamples;
  if (o.metric == "chrf")
    return line_of(corpus_chrf(hypotheses, references, chrf_options(o), bootstrap));
  return line_of(corpus_bleu(hypotheses, references, bleu_options(o), bootstrap));
}

double score_sentence(std::string_view hypothesis, const ScoreLines& references,
                      const ScoringOptions& o) {
  if (o.metric == "chrf") return sentence_chrf(hypothesis, references, chrf_options(o)).score;
  return sentence_bleu(hypothesis, references, bleu_options(o)).score;
}

}  // namespace kette::cli
