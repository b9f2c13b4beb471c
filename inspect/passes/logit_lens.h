// What a model would say if it stopped early. Logit lens (nostalgebraist 2020): the residual stream after each
// of the decoder's blocks, read as if it were the last. DecoderLens (Langedijk et al. 2023): the
// translation that the whole decoder makes of what the encoder has after each of its blocks.
#pragma once

#include "inspect/activations.h"

namespace kette {

/// One row at one level.
struct LensReading {
  struct Guess {
    std::int32_t token;
    double probability;
  };
  std::vector<Guess> best;  ///< falling
  double entropy = 0;       ///< nats
  double divergence = 0;    ///< KL(this || last level), nats
};

/// [levels][rows], level 0 before the first block. activations: at level_point() of the target side.
/// count: of the guesses.
std::vector<std::vector<LensReading>> logit_lens(const AutoregressiveModel& model,
                                                 const Activations& activations,
                                                 std::int64_t count);
/// The share of rows whose best token has the probability that a model's own answer has for its best, the same
/// one: 1 of a last level that is read as the model reads it. answers: softmax_rows() of the same pass's logits.
double agreement_with(const std::vector<std::vector<double>>& answers,
                      const std::vector<LensReading>& level);
bool is_for_logit_lens(const AutoregressiveModel& model, const std::string& point);

/// Means over the rows of any number of passes, at each level.
class LensMeans {
 public:
  /// targets: what follows each row in the text.
  void add(const std::vector<std::vector<LensReading>>& levels,
           std::span<const std::int32_t> targets);

  std::vector<double> divergence() const { return mean_of(divergence_); }  ///< to the last level
  /// How often the best token is the last level's, and how often the text's.
  std::vector<double> agreement() const { return mean_of(agreement_); }
  std::vector<double> accuracy() const { return mean_of(accuracy_); }

 private:
  std::vector<double> mean_of(std::vector<double> sums) const {
    for (double& sum : sums) sum /= rows_;
    return sums;
  }

  std::vector<double> divergence_, agreement_, accuracy_;
  double rows_ = 0;
};

/// The probabilities in rows of logits: [rows][vocabulary].
std::vector<std::vector<double>> softmax_rows(const Tensor& logits);

/// Lets the encoder give what it has after `level` of its blocks, 0 to all; of pre-norm models through its final
/// norm. For passes that encode, in any number of threads.
class EncoderExit final : public Tap {
 public:
  EncoderExit(const AutoregressiveModel& model, std::int64_t level);

  bool wants(const std::string& point) const override { return point == from_ || point == to_; }
  Variable at(const std::string& point, const Variable& value) override;

 private:
  std::string from_, to_;
};

}  // namespace kette
