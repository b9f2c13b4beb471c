#include "decode/drawn_texts.h"

#include <algorithm>

#include "tensor/kernels.h"

namespace kette {
namespace {

using Ids = std::vector<std::int32_t>;

}  // namespace

DrawnTexts::DrawnTexts(const AutoregressiveModel& model, const SamplingOptions& sampling,
                       Tensor masks)
    : model_(&model), sampling_(sampling), masks_(std::move(masks)) {}

void DrawnTexts::begin(const std::vector<TextStart>& starts, std::int64_t copies) {
  KETTE_CHECK(!starts.empty() && copies > 0, "generate: expected at least one text, given none");
  std::vector<RowStart> rows;
  std::vector<std::int64_t> parents, lengths;
  Ids last, counters, drawn, numbers;
  std::int64_t wanted = 0, most_steps = model_->positions();
  for (const TextStart& start : starts) {
    const std::int64_t length = std::ssize(start.tokens),
                       most = std::min(start.most, model_->positions());
    KETTE_CHECK(length > 0 && length <= most, "generate: expected texts that begin with 1 to ",
                most, " tokens, given ", length);
    rows.push_back({start.source, std::span(start.tokens).first(start.tokens.size() - 1)});
    wanted = std::max(wanted, most - length);
    most_steps = std::min(most_steps, model_->positions() - length);
    for (std::int64_t copy = 0; copy < copies; ++copy) {
      parents.push_back(std::ssize(rows) - 1);
      last.push_back(start.tokens.back());
      counters.push_back(static_cast<std::int32_t>(length - 1));
      drawn.push_back(static_cast<std::int32_t>(start.drawn));
      numbers.push_back(static_cast<std::int32_t>(start.number + copy));
    }
  }
  steps_left_ = std::min(wanted, most_steps);
  for (const std::int32_t position : counters) lengths.push_back(position + 1 + steps_left_);
  const Device device = model_->device();
  const std::int64_t texts = std::ssize(last);
  counters.insert(counters.end(), drawn.begin(), drawn.end());
  counters_ = Tensor::from(counters, {2, texts}, device);
  numbers_ = Tensor::from(numbers, device);
  last.resize(2 * last.size());
  drawn_ = Tensor::from(last, {2, texts}, device);

  recorded_step_.reset();
  sequences_.reset();
  state_.emplace(*model_);
  state_->add(rows);
  if (copies > 1) state_->select(parents);
  sequences_ = state_->fix(lengths, counters_.slice(0, 1).reshaped({texts}));
  step();
}

void DrawnTexts::grow() {
  KETTE_CHECK(!is_full(), "generate: expected texts with room for a token, given a full one");
  if (!recorded_step_) recorded_step_ = backend(model_->device()).record([this] { step(); });
  recorded_step_->replay();
  --steps_left_;
}

/// Appends the tokens of drawn_, and puts the next there.
void DrawnTexts::step() {
  Run run;
  const Tensor logits = model_->logits(model_->decode(tokens(), *sequences_, run)).value();
  if (masks_.defined()) mask_tokens(logits, masks_);
  sample(logits, sampling_, numbers_, counters_.slice(1, 2).reshaped({drawn_.width()}), drawn_);
  on(counters_.device(), [&](auto exec) { kernels::increment(exec, counters_); });
}

std::unique_ptr<HostCopy> DrawnTexts::drawn() const {
  return backend(drawn_.device()).start_copy_to_host(drawn_.raw(), drawn_.bytes());
}

}  // namespace kette
