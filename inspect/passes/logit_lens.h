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
bool is_for_logit_lens(const AutoregressiveModel& model, const std::string& point);

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
