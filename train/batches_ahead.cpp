#include "train/batches_ahead.h"

#include <utility>

namespace kette {

const Batch& BatchesAhead::first() { return *now().first; }

StepBatches BatchesAhead::next(std::function<bool()> is_over) {
  StepBatches batches;
  batches.tokens = now().tokens;
  batches.make = [this, is_over = std::move(is_over)](std::int64_t i) -> std::optional<Batch> {
    if (now_->first) return std::exchange(now_->first, std::nullopt);
    if (is_over()) return std::nullopt;
    const std::lock_guard lock(sampling_);
    return sampler_.peek(i);
  };
  after_ = std::async(std::launch::async, [this] { return prepare(leaves_); });
  return batches;
}

void BatchesAhead::taken() {
  now_ = after_.get();
  sampler_.skip(leaves_);
}

void BatchesAhead::given_up() { after_.wait(); }

BatchesAhead::Prepared& BatchesAhead::now() {
  if (!now_) now_ = prepare(0);
  return *now_;
}

/// Of the step that begins behind so many batches.
BatchesAhead::Prepared BatchesAhead::prepare(std::int64_t ahead) {
  const std::lock_guard lock(sampling_);
  Prepared prepared;
  if (leaves_ == 1) {  // which is made once: masks are told no sooner
    prepared.first = sampler_.peek(ahead);
    prepared.tokens.push_back(tokens_of(*prepared.first));
    return prepared;
  }
  StepBatches batches;
  for (std::int64_t i = 0; i < leaves_; ++i) batches.tokens.push_back(sampler_.tokens(ahead + i));
  prepared.first = sampler_.peek(ahead + batches.order()[mine_.begin]);
  prepared.tokens = std::move(batches.tokens);
  return prepared;
}

}  // namespace kette
