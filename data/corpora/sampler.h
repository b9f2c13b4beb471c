// Where the batches of training come from, epoch after epoch. Their order is a function of (seed, epoch) alone, so a run
// can stop after any batch and go on later as if it never had.
#pragma once

#include <cstdint>

#include "data/corpora/batches.h"

namespace kette {

class Sampler {
 public:
  /// Where the next batch lies: all that must be saved to go on.
  struct State {
    std::int64_t epoch = 0;
    std::int64_t position = 0;
    friend bool operator==(const State&, const State&) = default;
  };

  virtual ~Sampler() = default;

  /// After the last batch of an epoch the state is {epoch + 1, 0}.
  virtual Batch next() = 0;
  /// Target tokens, end marks counted, of the next batches together, which stay the next.
  virtual std::int64_t target_tokens(std::int64_t batches) const = 0;
  virtual const State& state() const = 0;
  virtual void restore(const State& state) = 0;
  /// Of the epoch that the next batch belongs to; another may have some more or less.
  virtual std::int64_t batches_in_epoch() const = 0;
};

}  // namespace kette
