// Measures a model with masked heads: BLEU of its translations (Michel et al. 2019, section 3), or the loss on a text.
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "data/metrics/bleu.h"
#include "data/metrics/score_statistics.h"
#include "decode/translator.h"
#include "inspect/heads/head_gates.h"

namespace kette {

/// The effect of a tap in every forward pass.
struct MaskedResult {
  double change = 0;  ///< of the result, compared with the one without the tap
  /// The probability of a change as large by chance (paired bootstrap), at least that by which all segments agree.
  double p = 1;
};

class HeadAblation {
 public:
  virtual ~HeadAblation() = default;
  virtual std::string name() const = 0;
  virtual std::string signature() const { return ""; }  ///< how it is scored, as of sacreBLEU
  virtual double whole() const = 0;                     ///< the result with all heads
  virtual bool higher_is_better() const = 0;
  virtual std::int64_t segments() const = 0;     ///< the number of units that the bootstrap draws
  virtual std::string segment_name() const = 0;  ///< "sentences"
  virtual MaskedResult with(Tap& tap) const = 0;
  /// Only the change, without p.
  virtual double change_with(Tap& tap) const { return with(tap).change; }
};

/// BLEU of translations, as of sacreBLEU. Higher is better.
class BleuAblation final : public HeadAblation {
 public:
  BleuAblation(const AutoregressiveModel& model, const SharedTokenizer& tokenizer,
               std::vector<SourceSentence> sources, std::vector<std::string> references,
               const SearchOptions& options, const WorkOptions& work,
               const BootstrapOptions& bootstrap, const BleuOptions& bleu = {});
  std::string name() const override { return "BLEU"; }
  std::string signature() const override;
  double whole() const override { return whole_.score(); }
  bool higher_is_better() const override { return true; }
  std::int64_t segments() const override { return std::ssize(sources_); }
  std::string segment_name() const override { return "sentences"; }
  MaskedResult with(Tap& tap) const override;
  double change_with(Tap& tap) const override;

 private:
  ScoreStatistics statistics_with(Tap* tap) const;

  Translator translator_;
  std::vector<SourceSentence> sources_;
  std::vector<std::string> references_;
  SearchOptions options_;
  WorkOptions work_;
  BootstrapOptions bootstrap_;
  BleuOptions bleu_;
  ScoreStatistics whole_;
  mutable std::once_flag is_resampled_;
  mutable std::vector<double> resampled_;  // of whole_, made for the first p
};

/// The loss on windows of a text, in nats per token. Lower is better.
class LossAblation final : public HeadAblation {
 public:
  /// windows: batches of one window each.
  LossAblation(const AutoregressiveModel& model, std::vector<Batch> windows,
               const BootstrapOptions& bootstrap);
  std::string name() const override { return "loss"; }
  double whole() const override;
  bool higher_is_better() const override { return false; }
  std::int64_t segments() const override { return std::ssize(windows_); }
  std::string segment_name() const override { return "windows"; }
  MaskedResult with(Tap& tap) const override;

 private:
  std::vector<double> losses_with(Tap* tap) const;

  const AutoregressiveModel& model_;
  std::vector<Batch> windows_;
  BootstrapOptions bootstrap_;
  double tokens_ = 0;
  std::vector<double> whole_;  // by window, the sum over its tokens
};

}  // namespace kette
