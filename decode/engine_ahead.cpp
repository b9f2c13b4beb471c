// Steps ahead, if all rows are sampled without scores on a device that runs ahead. The next step is
// queued before the tokens of the last one are known, because these only show which texts have
// ended. Ended rows stay in the batch, without use, until there are many.
#include <algorithm>
#include <utility>

#include "decode/engine.h"

namespace kette {
namespace {

constexpr std::int64_t kFewRows = 8;

}  // namespace

bool Engine::may_step_ahead() const {
  if (is_ahead()) return true;
  const bool wants_to = model_.device().runs_ahead() || options_.always_records;
  return wants_to && !live_.empty() &&
         std::all_of(live_.begin(), live_.end(), [](const Live& live) {
           if (live.is_reading || live.has_ended) return false;
           const Question wanted = live.request.policy->question(0);
           return wanted.draw != nullptr && !wanted.scores_draw;
         });
}

void Engine::begin_ahead() {
  std::vector<SampledRows::Row> rows;
  for (const Live& live : live_) {
    for (std::int64_t own = 0; own < live.state_rows; ++own) {
      const Question wanted = live.request.policy->question(own);
      rows.push_back({live.request.last_token(own),
                      {wanted.draw, wanted.text},
                      wanted.position,
                      wanted.left,
                      static_cast<std::int32_t>(live.masks)});
    }
  }
  goes_on_.assign(rows.size(), true);
  if (!ahead_) ahead_.emplace(model_, state_, options_.tap);
  ahead_->begin(rows, words_of_masks());
}

void Engine::step_ahead() {
  if (!is_ahead()) begin_ahead();
  if (!drawn_) drawn_ = ahead_->step();
  std::unique_ptr<HostCopy> next;
  const bool others_follow = std::any_of(live_.begin(), live_.end(), [](const Live& live) {
    return !live.has_ended && live.request.policy->question(0).left > 1;
  });
  const bool is_device_ahead = model_.device().runs_ahead();
  if (is_device_ahead && others_follow && ahead_->steps_left() > 0) next = ahead_->step();
  take_draws(*std::exchange(drawn_, nullptr));
  drawn_ = std::move(next);
  const std::int64_t rows = std::ssize(goes_on_),
                     left = std::count(goes_on_.begin(), goes_on_.end(), true);
  // A device that runs ahead has steps of 1, 2, 4, 8, ... rows, and of few rows all take as long. So
  // ended rows stay until they are half of many.
  const bool are_few = is_device_ahead ? rows > kFewRows && 2 * left <= rows : 4 * left <= 3 * rows;
  if (left == 0 || are_few || (ahead_->steps_left() == 0 && !drawn_)) settle();
}

void Engine::take_draws(HostCopy& drawn) {
  const auto* values = static_cast<const std::int32_t*>(drawn.wait());
  rows_ = std::ssize(goes_on_);
  std::int64_t row = 0;
  for (Live& live : live_) {
    std::vector<std::int64_t> own;
    for (const std::int64_t end = row + live.state_rows; row < end; ++row) {
      if (goes_on_[row] && !live.has_ended) own.push_back(row);
      goes_on_[row] = false;
    }
    if (own.empty()) continue;
    std::vector<std::int64_t> parents;
    guard(live, [&] {
      std::vector<std::int32_t> tokens;
      for (const std::int64_t place : own) {
        tokens.push_back(checked_draw(values, ahead_->padded_rows(), place));
      }
      parents = live.request.policy->choose(drawn_tokens(tokens)).parents;
    });
    if (live.has_ended) continue;
    for (const std::int64_t parent : parents) goes_on_[own[parent]] = true;
    if (parents.empty()) finish(live);
  }
}

/// Takes the tokens of the queued step, and returns the rows that continue to ordinary steps.
void Engine::settle() {
  if (!is_ahead()) return;
  if (drawn_) take_draws(*std::exchange(drawn_, nullptr));
  std::vector<std::int64_t> parents;
  std::int64_t row = 0;
  for (Live& live : live_) {
    std::int64_t own = 0;
    for (const std::int64_t end = row + live.state_rows; row < end; ++row) {
      if (!goes_on_[row] || live.has_ended) continue;
      parents.push_back(row);
      ++own;
    }
    live.state_rows = own;
  }
  ahead_->end(parents);
  forget_ended();
}

}  // namespace kette
