#include "decode/drawn_texts.h"

#include <numeric>
#include <utility>

#include "tensor/error.h"

namespace kette {
namespace {

/// How far the numbers of two copies of a text are apart, modulo 2^32: the golden section, whose multiples stay
/// so far from 0 that no two texts have one number while texts times copies are at most 10^8.
constexpr std::int64_t kCopies = 0x9E3779B9;

}  // namespace

DrawnTexts::DrawnTexts(const Options& options, OnToken on_token)
    : options_(options), on_token_(std::move(on_token)) {
  options_.sampling.check();
  KETTE_CHECK(options_.copies > 0, "generate: expected at least one text, given none");
  texts_.resize(static_cast<std::size_t>(options_.copies));
  if (options_.most > 0) {
    live_.resize(texts_.size());
    std::iota(live_.begin(), live_.end(), 0);
  }
}

Question DrawnTexts::question(std::int64_t row) const {
  const std::int64_t copy = options_.first_copy + live_[row], drawn = std::ssize(tokens(row));
  return {.draw = &options_.sampling,
          .text = static_cast<std::int32_t>(options_.number + copy * kCopies),
          .position = drawn,
          .left = options_.most - drawn};
}

Policy::Chosen DrawnTexts::choose(std::span<const Continuations> answers) {
  Chosen chosen;
  std::vector<std::int64_t> live;
  for (std::int64_t row = 0; row < rows(); ++row) {
    const std::int64_t copy = live_[row];
    const std::int32_t token = answers[row].tokens.front();
    if (token == options_.end) continue;
    std::vector<std::int32_t>& tokens = texts_[copy].tokens;
    tokens.push_back(token);
    const bool goes_on = !on_token_ || on_token_(copy, token);
    if (!goes_on || std::ssize(tokens) == options_.most) continue;
    live.push_back(copy);
    chosen.parents.push_back(row);
  }
  live_ = std::move(live);
  return chosen;
}

}  // namespace kette
