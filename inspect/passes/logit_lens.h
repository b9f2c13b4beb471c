// The predictions of a model that stops early. Logit lens (nostalgebraist 2020): applies the output layer to the
// residual stream after each of the decoder's blocks. DecoderLens (Langedijk et al. 2023): the whole decoder
// translates from the encoder's state after each of its blocks.
#pragma once

#include "inspect/activations.h"

namespace kette {

/// One row at one level.
struct LensReading {
  struct Guess {
    std::int32_t token;
    double probability;
  };
  std::vector<Guess> best;  ///< the likeliest first
  double entropy = 0;       ///< nats
  double divergence = 0;    ///< KL(this || last level), nats
};

/// [levels][rows]; level 0 is before the first block. activations: at the level_point()s of the target side.
/// count: the number of guesses.
std::vector<std::vector<LensReading>> logit_lens(const AutoregressiveModel& model,
                                                 const Activations& activations,
                                                 std::int64_t count);
/// The share of rows whose best token is the model's own best token with the same probability. It must be 1 at the last
/// level. answers: softmax_rows() of the same pass's logits.
double agreement_with(const std::vector<std::vector<double>>& answers,
                      const std::vector<LensReading>& level);
bool is_for_logit_lens(const AutoregressiveModel& model, const std::string& point);

/// Means over the rows of any number of passes, by level.
class LensMeans {
 public:
  /// targets: the next token of each row in the text.
  void add(const std::vector<std::vector<LensReading>>& levels,
           std::span<const std::int32_t> targets);

  std::vector<double> divergence() const { return mean_of(divergence_); }  ///< to the last level
  /// The share of rows whose best token is the last level's (agreement) or the text's (accuracy).
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

/// Probabilities from logits: [rows][vocabulary].
std::vector<std::vector<double>> softmax_rows(const Tensor& logits);

/// Makes the encoder return its state after `level` of its blocks, from 0 to all; through the final norm in pre-norm
/// models. Works for passes in any number of threads.
class EncoderExit final : public Tap {
 public:
  EncoderExit(const AutoregressiveModel& model, std::int64_t level);

  bool wants(const std::string& point) const override { return point == from_ || point == to_; }
  Variable at(const std::string& point, const Variable& value) override;

 private:
  std::string from_, to_;
};

}  // namespace kette
