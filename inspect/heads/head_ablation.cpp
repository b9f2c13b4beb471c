#include "inspect/heads/head_ablation.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "data/metrics/score_format.h"
#include "data/metrics/significance.h"
#include "tensor/splitmix.h"

namespace kette {
namespace {

double sum_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

/// Few segments are little evidence, however often they are drawn: if each is as likely to change either way, all agree
/// by chance with this probability.
MaskedResult tested(const std::vector<double>& differences, double change, std::int64_t segments) {
  const double all_agree = std::exp2(1 - static_cast<double>(segments));
  return {change, std::max(paired_bootstrap_p(differences, change), all_agree)};
}

}  // namespace

BleuAblation::BleuAblation(const AutoregressiveModel& model, const SharedTokenizer& tokenizer,
                           std::vector<SourceSentence> sources, std::vector<std::string> references,
                           const SearchOptions& options, const WorkOptions& work,
                           const BootstrapOptions& bootstrap, const BleuOptions& bleu)
    : translator_(model, tokenizer),
      sources_(std::move(sources)),
      references_(std::move(references)),
      options_(options),
      work_(work),
      bootstrap_(bootstrap),
      bleu_(bleu),
      whole_(statistics_with(nullptr)) {}

std::string BleuAblation::signature() const { return corpus_score(whole_).signature; }

ScoreStatistics BleuAblation::statistics_with(Tap* tap) const {
  WorkOptions work = work_;
  work.tap = tap;
  const std::vector<Translation> translations = translator_.translate(sources_, options_, work);
  ScoreLines hypotheses;
  for (const Translation& translation : translations) hypotheses.emplace_back(translation.text);
  return {bleu_metric(bleu_), hypotheses, {ScoreLines(references_.begin(), references_.end())}};
}

MaskedResult BleuAblation::with(Tap& tap) const {
  const ScoreStatistics masked = statistics_with(&tap);
  std::call_once(is_resampled_, [&] { resampled_ = whole_.resampled(bootstrap_); });
  std::vector<double> differences = masked.resampled(bootstrap_);
  for (std::size_t i = 0; i < differences.size(); ++i) differences[i] -= resampled_[i];
  return tested(differences, masked.score() - whole_.score(), segments());
}

double BleuAblation::change_with(Tap& tap) const { return statistics_with(&tap).score() - whole(); }

LossAblation::LossAblation(const AutoregressiveModel& model, std::vector<Batch> windows,
                           const BootstrapOptions& bootstrap)
    : model_(model), windows_(std::move(windows)), bootstrap_(bootstrap) {
  for (const Batch& window : windows_) tokens_ += static_cast<double>(window.target_out.size());
  whole_ = losses_with(nullptr);
}

std::vector<double> LossAblation::losses_with(Tap* tap) const {
  std::vector<double> losses;
  for (const Batch& window : windows_) {
    Run run(tap);
    losses.push_back(model_.loss(window, {}, run).value().item());
  }
  return losses;
}

double LossAblation::whole() const { return sum_of(whole_) / tokens_; }

MaskedResult LossAblation::with(Tap& tap) const {
  const std::vector<double> masked = losses_with(&tap);
  const double change = (sum_of(masked) - sum_of(whole_)) / tokens_;
  std::vector<double> differences;
  const std::size_t windows = windows_.size();
  for (std::int64_t sample = 0; sample < bootstrap_.samples; ++sample) {
    double difference = 0, tokens = 0;
    for (std::size_t draw = 0; draw < windows; ++draw) {
      const std::size_t window = hash_of(bootstrap_.seed, sample, draw) % windows;
      difference += masked[window] - whole_[window];
      tokens += static_cast<double>(windows_[window].target_out.size());
    }
    differences.push_back(difference / tokens);
  }
  return tested(differences, change, segments());
}

}  // namespace kette
