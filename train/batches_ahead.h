// The batches of the steps to come. While a step is taken, a thread makes the first batch of the next one.
#pragma once

#include <functional>
#include <future>
#include <mutex>
#include <optional>
#include <vector>

#include "data/corpora/sampler.h"
#include "train/train_step.h"

namespace kette {

class BatchesAhead {
 public:
  /// leaves: batches of a step. mine: those of this process.
  BatchesAhead(Sampler& sampler, std::int64_t leaves, Interval mine)
      : sampler_(sampler), leaves_(leaves), mine_(mine) {}

  /// The first of the next step that this process learns from.
  const Batch& first();
  /// Those of the next step; valid until it was taken(). is_over: whether no more than the first is to be made.
  StepBatches next(std::function<bool()> is_over);
  /// They come no more.
  void taken();
  /// Between steps, when the sampler is to draw otherwise: what was made of those to come is of no use.
  void forget() { now_.reset(); }

 private:
  struct Prepared {
    std::vector<TokenCounts> tokens;
    std::optional<Batch> first;
  };
  Prepared prepare(std::int64_t ahead);
  Prepared& now();

  Sampler& sampler_;
  std::int64_t leaves_;
  Interval mine_;
  std::mutex sampling_;
  std::optional<Prepared> now_;
  std::future<Prepared> after_;
};

}  // namespace kette
