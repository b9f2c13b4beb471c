#include "inspect/lab/repeated_tokens.h"

#include "autograd/ops/softmax.h"
#include "data/corpora/window_sampler.h"
#include "tensor/splitmix.h"

namespace kette {
Batch RepeatedTokens::batch(std::int64_t count, std::uint64_t number) const {
  Random random(seed, number);
  const auto next = [&](std::int32_t before) {
    if (before < 0 || random.uniform() < 0.5) {
      return static_cast<std::int32_t>(random.below(vocabulary));
    }
    const std::int64_t which = random.below(followers);
    return static_cast<std::int32_t>(hash_of(seed, before, which) %
                                     static_cast<std::uint64_t>(vocabulary));
  };
  std::vector<std::vector<std::int32_t>> sequences;
  for (std::int64_t i = 0; i < count; ++i) {
    std::vector<std::int32_t> tokens;
    const std::int64_t segment = shortest + random.below(longest - shortest + 1);
    while (std::ssize(tokens) <= length) {
      const std::int64_t at = std::ssize(tokens);
      tokens.push_back(at < segment ? next(at > 0 ? tokens.back() : -1) : tokens[at - segment]);
    }
    sequences.push_back(std::move(tokens));
  }
  return pack_windows(sequences);
}

std::vector<double> token_losses(const AutoregressiveModel& model, const Batch& batch, Tap* tap) {
  Run run(tap);
  const Variable all = log_softmax(model.logits(batch, run));
  const std::vector<float> values = all.value().values<float>();
  std::vector<double> losses;
  for (std::size_t row = 0; row < batch.target_out.size(); ++row) {
    losses.push_back(-static_cast<double>(
        values[row * static_cast<std::size_t>(all.value().width()) + batch.target_out[row]]));
  }
  return losses;
}

}  // namespace kette
