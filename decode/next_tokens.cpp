#include "decode/next_tokens.h"

#include <numeric>
#include <utility>

namespace kette {

NextTokens::NextTokens(const PackedTransformer& model, const Tensor& states, std::int64_t count,
                       Tensor banned, std::int32_t end)
    : model_(model),
      states_(states),
      banned_(std::move(banned)),
      end_(end),
      rows_(static_cast<std::size_t>(states.rows())) {
  std::vector<std::int64_t> all(rows_.size());
  std::iota(all.begin(), all.end(), 0);
  take(predict(states_, count), all);
}

void NextTokens::ask_again(const std::vector<std::int64_t>& rows, std::int64_t count) {
  const auto asked = static_cast<std::int64_t>(rows.size());
  const Tensor states = Tensor::empty({asked, states_.width()}, states_.dtype(), states_.device());
  for (std::int64_t i = 0; i < asked; ++i) {
    const std::int64_t row = rows[static_cast<std::size_t>(i)];
    states.slice(i, i + 1).copy_from(states_.slice(row, row + 1));
  }
  take(predict(states, count), rows);
}

Predictions NextTokens::predict(const Tensor& states, std::int64_t count) const {
  const Tensor ends = Tensor::full({states.rows()}, end_, DType::i32, states.device());
  return model_.predict(states, count, banned_, ends);
}

void NextTokens::take(Predictions answer, const std::vector<std::int64_t>& rows) {
  answers_.push_back(std::move(answer));
  const Predictions& kept = answers_.back();
  const auto count = static_cast<std::size_t>(kept.count);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows_[static_cast<std::size_t>(rows[i])] = {std::span(kept.values).subspan(i * count, count),
                                                std::span(kept.tokens).subspan(i * count, count),
                                                kept.target_values[i]};
  }
}

}  // namespace kette
