// The batches of the next steps. While a step runs, a thread makes the first batch of the step after it.
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
  /// leaves: the number of batches of a step. mine: the batches of this process.
  BatchesAhead(Sampler& sampler, std::int64_t leaves, Interval mine)
      : sampler_(sampler), leaves_(leaves), mine_(mine) {}

  /// This process's first batch of the next step.
  const Batch& first();
  /// The batches of the next step, valid until taken(). After the first batch, none is made once is_over() is true.
  StepBatches next(std::function<bool()> is_over);
  /// The step was made: moves the sampler past it.
  void taken();
  /// The step was given up: after this no thread uses the sampler.
  void given_up();
  /// Drops batches made ahead. Call it between steps before the sampler changes how it draws.
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
