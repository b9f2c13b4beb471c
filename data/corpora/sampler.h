// Where the batches of training come from, epoch after epoch. Their order is a function of (seed, epoch, stage) alone, so a
// run can stop after any batch and go on later as if it never had.
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
    std::int64_t stage = 0;
    friend bool operator==(const State&, const State&) = default;
  };

  virtual ~Sampler() = default;

  /// The batch that comes after `ahead` others, which all stay the next ones, over the ends of epochs.
  virtual Batch peek(std::int64_t ahead) const = 0;
  /// What that batch has.
  virtual TokenCounts tokens(std::int64_t ahead) const = 0;
  /// Leaves so many batches behind. After the last batch of an epoch the state is {epoch + 1, 0}.
  virtual void skip(std::int64_t batches) = 0;
  Batch next() {
    Batch batch = peek(0);
    skip(1);
    return batch;
  }
  virtual const State& state() const = 0;
  virtual void restore(const State& state) = 0;
  /// Of the epoch that the next batch belongs to; another may have some more or less.
  virtual std::int64_t batches_in_epoch() const = 0;

  /// In how many ways it can draw.
  virtual std::int64_t stages() const { return 1; }
  /// The rest of the epoch, and all later ones, are drawn in another of them.
  virtual void begin_stage(std::int64_t /*stage*/) {}
};

}  // namespace kette
