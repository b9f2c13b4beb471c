#include "decode/sampled_texts.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "tensor/error.h"

namespace kette {
namespace {

/// The distance of the numbers of two copies of a text, modulo 2^32. It is the golden section, whose
/// multiples stay far from 0. So no two texts share a number while texts times copies are at most
/// 10^8.
constexpr std::int64_t kCopies = 0x9E3779B9;

}  // namespace

SampledTexts::SampledTexts(const Options& options, OnToken on_token)
    : options_(options), on_token_(std::move(on_token)) {
  options_.sampling.check();
  KETTE_CHECK(options_.copies > 0, "generate: expected at least one text, given none");
  texts_.resize(static_cast<std::size_t>(options_.copies));
  options_.given.empty() ? begin_draws() : live_.push_back(0);
}

/// The next token of a text of this length if it is not sampled; -1: it is.
std::int32_t SampledTexts::forced(std::int64_t length) const {
  const std::int64_t given = std::ssize(options_.given);
  if (length < given) return options_.given[length];
  return options_.scores && length == given + options_.max_tokens ? options_.end : -1;
}

/// Whether nothing is asked about a text of this length.
bool SampledTexts::is_whole(std::int64_t length) const {
  return length >= max_tokens() && forced(length) < 0;
}

/// Every copy goes on from the first one.
void SampledTexts::begin_draws() {
  std::fill(texts_.begin() + 1, texts_.end(), texts_.front());
  live_.clear();
  if (is_whole(std::ssize(texts_.front().tokens))) return;
  live_.resize(texts_.size());
  std::iota(live_.begin(), live_.end(), 0);
}

Question SampledTexts::question(std::int64_t row) const {
  const std::int64_t length = std::ssize(tokens(row));
  if (const std::int32_t token = forced(length); token >= 0) return {.target = token};
  const std::int64_t drawn = length - std::ssize(options_.given);
  const std::int64_t copy = options_.first_copy + live_[row];
  return {.draw = &options_.sampling,
          .text = static_cast<std::int32_t>(options_.number + copy * kCopies),
          .position = drawn,
          .left = options_.max_tokens - drawn,
          .scores_draw = options_.scores};
}

Policy::Chosen SampledTexts::choose(std::span<const Continuations> answers) {
  if (texts_.front().tokens.size() < options_.given.size()) return take_given(answers.front());
  Chosen chosen;
  std::vector<std::int64_t> live;
  for (std::int64_t row = 0; row < rows(); ++row) {
    const std::int64_t copy = live_[row];
    std::vector<std::int32_t>& tokens = texts_[copy].tokens;
    add_score(texts_[copy], answers[row].target_value);
    // After the last token only the end mark was asked for.
    if (std::ssize(tokens) == max_tokens()) continue;
    const std::int32_t token = answers[row].tokens.front();
    if (token == options_.end) continue;
    tokens.push_back(token);
    const bool goes_on = !on_token_ || on_token_(copy, token);
    if (!goes_on || is_whole(std::ssize(tokens))) continue;
    live.push_back(copy);
    chosen.parents.push_back(row);
  }
  live_ = std::move(live);
  return chosen;
}

/// The next given token, of the first copy alone. After the last one all copies begin.
Policy::Chosen SampledTexts::take_given(const Continuations& answer) {
  Hypothesis& text = texts_.front();
  add_score(text, answer.target_value);
  text.tokens.push_back(forced(std::ssize(text.tokens)));
  if (text.tokens.size() == options_.given.size()) begin_draws();
  return {{}, std::vector<std::int64_t>(live_.size(), 0)};
}

void SampledTexts::add_score(Hypothesis& text, float log_probability) const {
  if (!options_.scores) return;
  KETTE_CHECK(std::isfinite(log_probability), "sample: expected finite log-probabilities, given ",
              log_probability, " (the model's activations grow beyond the numbers there are)");
  text.log_probability += double(log_probability);
}

}  // namespace kette
