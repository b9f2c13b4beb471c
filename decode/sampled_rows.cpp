#include "decode/sampled_rows.h"

#include <algorithm>

#include "tensor/kernels.h"
#include "tensor/observer.h"

namespace kette {
namespace {

/// The most steps that the cache gets room for, as texts may end long before their limit.
constexpr std::int64_t kMostSteps = 512;

}  // namespace

void SampledRows::begin(const std::vector<Row>& rows, const Tensor& masks) {
  std::int64_t wanted = 0, room = kMostSteps;
  lengths_.clear();
  for (const Row& row : rows) {
    lengths_.push_back(state_.length(std::ssize(lengths_)));
    wanted = std::max(wanted, row.left);
    room = std::min(room, model_.positions() - lengths_.back());
  }
  steps_left_ = std::min(wanted, room);
  const std::int64_t count = std::ssize(rows);
  const std::int64_t padded = is_observed() ? count : padded_size(count);
  step_ = &steps_[padded];
  if (!fill(*step_, padded, rows, masks)) step_->recording.reset();
}

/// Fills the inputs of a step of `padded` rows. Returns whether its recording is still right.
bool SampledRows::fill(Step& step, std::int64_t padded, const std::vector<Row>& rows,
                       const Tensor& masks) {
  static const SamplingOptions likeliest{.temperature = 0};  // what takes padding least time
  const Device device = model_.device();
  const auto size = static_cast<std::size_t>(padded);
  std::vector<std::int32_t> counters(2 * size), tokens(2 * size), of_rows(size);
  std::vector<Draw> draws(size, {&likeliest, 0});
  std::vector<std::int64_t> lengths;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    counters[row] = static_cast<std::int32_t>(lengths_[row]);
    counters[size + row] = static_cast<std::int32_t>(rows[row].drawn);
    tokens[row] = rows[row].token;
    of_rows[row] = rows[row].mask;
    draws[row] = rows[row].draw;
    lengths.push_back(lengths_[row] + steps_left_);
  }
  const DrawSettings settings = draw_settings(draws, Device{});
  // Masks are uploaded anew after some were added, and those of the recording are kept until then.
  bool same = step.settings.cut == settings.cut && step.masks.defined() == masks.defined() &&
              (!masks.defined() || step.masks.words.raw() == masks.raw());
  const auto put = [&](Tensor& there, const Tensor& values) {
    same = refill(there, values, device) && same;
  };
  put(step.counters, Tensor::from(counters, {2, padded}));
  put(step.drawn, Tensor::from(tokens, {2, padded}));
  put(step.settings.reals, settings.reals);
  put(step.settings.whole, settings.whole);
  put(step.masks.rows, Tensor::from(of_rows));
  step.settings.cut = settings.cut;
  step.masks.words = masks;
  const Tensor positions = step.counters.slice(0, 1).reshaped({padded});
  return state_.begin_static_batch(lengths, positions, step.places) && same;
}

/// An observer is told of the rows alone, and of no recording.
bool SampledRows::is_observed() const {
  return tap_ != nullptr || WorkObserver::current() != nullptr;
}

std::unique_ptr<HostCopy> SampledRows::step() {
  // Not recorded: the first step, which may initialise things, and steps that somebody observes.
  if (!step_->has_run || is_observed()) {
    draw();
    step_->has_run = true;
  } else {
    if (!step_->recording) step_->recording = backend(model_.device()).record([this] { draw(); });
    step_->recording->replay();
  }
  --steps_left_;
  for (std::int64_t& length : lengths_) ++length;
  return backend(model_.device()).start_copy_to_host(step_->drawn.raw(), step_->drawn.bytes());
}

/// Feeds the tokens of `drawn` to the model, and stores the next ones there.
void SampledRows::draw() {
  const Work work("step");
  Run run(tap_);
  const Step& step = *step_;
  const auto line_of = [](const Tensor& both, std::int64_t line) {
    return both.slice(line, line + 1).reshaped({both.width()});
  };
  const Variable states = state_.step_static_batch(line_of(step.drawn, 0), run);
  const Tensor logits = model_.output()(states, run).value();
  if (step.masks.defined()) mask_tokens(logits, step.masks);
  sample(logits, step.settings, line_of(step.counters, 1), step.drawn);
  on(model_.device(), [&](auto exec) { kernels::increment(exec, step.counters); });
}

void SampledRows::end(const std::vector<std::int64_t>& parents) {
  std::vector<std::int64_t> lengths;
  for (const std::int64_t parent : parents) lengths.push_back(lengths_[parent]);
  state_.end_static_batch(parents, lengths);
  step_ = nullptr;
}

}  // namespace kette
