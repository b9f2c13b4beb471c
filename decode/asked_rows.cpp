#include "decode/asked_rows.h"

#include <algorithm>

namespace kette {
namespace {

/// Enough for ordinary beams, and for nearly all rows of wider ones.
constexpr std::int64_t kFew = 32;

}  // namespace

void AskedRows::add(std::int64_t row, std::int32_t token, const Question& wanted,
                    const RowQuestion& question) {
  const bool is_drawn = wanted.draw != nullptr;
  if (parts_.empty() || parts_.back().is_drawn != is_drawn ||
      parts_.back().scores_draws != wanted.scores_draw) {
    parts_.push_back({count(), count(), is_drawn, wanted.scores_draw});
  }
  ++parts_.back().end;
  rows_.push_back(row);
  tokens_.push_back(token);
  wanted_.push_back(wanted);
  questions_.push_back(question);
  questions_.back().likeliest = std::min(wanted.likeliest, kFew);
}

void AskedRows::answer(const Linear& output, const Tensor& states, const Tensor& masks, Tap* tap) {
  for (Part& part : parts_) {
    const Tensor own = states.slice(part.begin, part.end);
    if (part.is_drawn) {
      draw(part, output, own, masks, tap);
    } else {
      part.next = std::make_unique<NextTokens>(
          output, own, masks,
          std::vector<RowQuestion>(questions_.begin() + part.begin, questions_.begin() + part.end));
    }
  }
}

void AskedRows::draw(Part& part, const Linear& output, const Tensor& states, const Tensor& masks,
                     Tap* tap) const {
  const Device device = states.device();
  const Tensor logits = output(states, Run(tap)).value();
  std::vector<Draw> draws;
  std::vector<std::int32_t> positions, of_rows;
  for (std::int64_t row = part.begin; row < part.end; ++row) {
    draws.push_back({wanted_[row].draw, wanted_[row].text});
    positions.push_back(static_cast<std::int32_t>(wanted_[row].position));
    of_rows.push_back(static_cast<std::int32_t>(questions_[row].mask));
  }
  if (masks.defined()) mask_tokens(logits, {masks, Tensor::from(of_rows, device)});
  const std::int64_t rows = part.end - part.begin;
  const Tensor drawn = Tensor::empty({2, rows}, DType::i32, device);
  sample(logits, draw_settings(draws, device), Tensor::from(positions, device), drawn);
  part.drawn = drawn.values<std::int32_t>();
  if (!part.scores_draws) return;
  const Tensor tokens = drawn.slice(0, 1).reshaped({rows});
  part.log_probabilities = predict(output, states, 1, {}, tokens).target_values;
}

Policy::Chosen AskedRows::choose(Policy& policy, std::int64_t first) {
  const auto at = std::find_if(parts_.begin(), parts_.end(),
                               [&](const Part& part) { return first < part.end; });
  Part& part = *at;
  const std::int64_t rows = policy.rows(), begin = first - part.begin;
  if (part.is_drawn) {
    std::vector<std::int32_t> drawn;
    for (std::int64_t row = begin; row < begin + rows; ++row) {
      drawn.push_back(checked_draw(part.drawn.data(), part.end - part.begin, row));
    }
    std::span<const float> log_probabilities = part.log_probabilities;
    if (part.scores_draws) {
      log_probabilities = log_probabilities.subspan(static_cast<std::size_t>(begin), drawn.size());
    }
    return policy.choose(drawn_tokens(drawn, log_probabilities));
  }
  // Few continuations of each row first, then more of those that may hide one of the best. Of a row
  // with n chosen at most 4 n are computed.
  for (std::int64_t few = 4 * kFew;; few *= 4) {
    Policy::Chosen chosen = policy.choose(part.next->rows(begin, rows));
    if (chosen.unsure.empty()) return chosen;
    for (std::int64_t& row : chosen.unsure) row += begin;
    part.next->ask_again(chosen.unsure, std::min(few, wanted_[first].likeliest));
  }
}

}  // namespace kette
