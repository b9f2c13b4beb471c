#include "decode/sampled_rows.h"

#include <algorithm>

#include "tensor/kernels.h"
#include "tensor/observer.h"

namespace kette {
namespace {

/// The most steps that the cache gets room for, as texts may end long before their limit.
constexpr std::int64_t kMostSteps = 512;

}  // namespace

SampledRows::SampledRows(const Ensemble& model, EnsembleState& state, const std::vector<Row>& rows,
                         const Tensor& masks, Tap* tap)
    : model_(model), state_(state), tap_(tap) {
  std::int64_t wanted = 0, room = kMostSteps;
  std::vector<std::int32_t> counters, drawn, tokens, of_rows;
  std::vector<Draw> draws;
  for (const Row& row : rows) {
    const std::int64_t length = state.length(std::ssize(draws));
    wanted = std::max(wanted, row.left);
    room = std::min(room, model.positions() - length);
    counters.push_back(static_cast<std::int32_t>(length));
    drawn.push_back(static_cast<std::int32_t>(row.drawn));
    tokens.push_back(row.token);
    of_rows.push_back(row.mask);
    draws.push_back(row.draw);
  }
  steps_left_ = std::min(wanted, room);
  std::vector<std::int64_t> lengths;
  for (const std::int32_t length : counters) {
    lengths_.push_back(length);
    lengths.push_back(length + steps_left_);
  }
  const Device device = model.device();
  const std::int64_t count = std::ssize(rows);
  counters.insert(counters.end(), drawn.begin(), drawn.end());
  counters_ = Tensor::from(counters, {2, count}, device);
  tokens.resize(2 * tokens.size());
  drawn_ = Tensor::from(tokens, {2, count}, device);
  settings_ = draw_settings(draws, device);
  if (masks.defined()) masks_ = {masks, Tensor::from(of_rows, device)};
  state_.begin_static_batch(lengths, counters_.slice(0, 1).reshaped({count}));
}

std::unique_ptr<HostCopy> SampledRows::step() {
  // Not recorded: the first step, which may initialise things, and steps that somebody observes.
  if (!has_begun_ || tap_ != nullptr || WorkObserver::current()) {
    draw();
    has_begun_ = true;
  } else {
    if (!recorded_) recorded_ = backend(model_.device()).record([this] { draw(); });
    recorded_->replay();
  }
  --steps_left_;
  for (std::int64_t& length : lengths_) ++length;
  return backend(drawn_.device()).start_copy_to_host(drawn_.raw(), drawn_.bytes());
}

/// Feeds the tokens of drawn_ to the model, and stores the next ones there.
void SampledRows::draw() {
  const Work work("step");
  Run run(tap_);
  const std::int64_t rows = drawn_.width();
  const Tensor tokens = drawn_.slice(0, 1).reshaped({rows});
  const Tensor logits = model_.output()(state_.step_static_batch(tokens, run), run).value();
  if (masks_.defined()) mask_tokens(logits, masks_);
  sample(logits, settings_, counters_.slice(1, 2).reshaped({rows}), drawn_);
  on(counters_.device(), [&](auto exec) { kernels::increment(exec, counters_); });
}

void SampledRows::end() {
  recorded_.reset();
  state_.end_static_batch(lengths_);
}

}  // namespace kette
