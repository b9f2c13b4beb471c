#include "decode/next_tokens.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace kette {
namespace {

constexpr float kNever = -std::numeric_limits<float>::infinity();

/// The numbers on a device. Equal numbers need no copy.
Tensor there(const std::vector<std::int32_t>& numbers, Device device) {
  const bool same =
      std::adjacent_find(numbers.begin(), numbers.end(), std::not_equal_to<>()) == numbers.end();
  if (!same) return Tensor::from(numbers, device);
  return Tensor::full({std::ssize(numbers)}, numbers.front(), DType::i32, device);
}

}  // namespace

NextTokens::NextTokens(const Linear& output, const Tensor& states, Tensor masks,
                       std::vector<RowQuestion> questions)
    : output_(output),
      states_(states),
      masks_(std::move(masks)),
      questions_(std::move(questions)),
      rows_(questions_.size()) {
  std::vector<std::int64_t> all(rows_.size());
  std::iota(all.begin(), all.end(), 0);
  std::int64_t most = 1;
  for (const RowQuestion& question : questions_) most = std::max(most, question.likeliest);
  ask(states_, all, most);
}

void NextTokens::ask_again(const std::vector<std::int64_t>& rows, std::int64_t count) {
  const auto asked = std::ssize(rows);
  const Tensor states = Tensor::empty({asked, states_.width()}, states_.dtype(), states_.device());
  for (std::int64_t i = 0; i < asked; ++i) {
    const std::int64_t row = rows[i];
    states.slice(i, i + 1).copy_from(states_.slice(row, row + 1));
  }
  ask(states, rows, count);
}

void NextTokens::ask(const Tensor& states, std::span<const std::int64_t> rows, std::int64_t count) {
  for (std::size_t begin = 0, end = 0; begin < rows.size(); begin = end) {
    const Shortlist* list = questions_[rows[begin]].list;
    while (end < rows.size() && questions_[rows[end]].list == list) ++end;
    ask(states.slice(static_cast<std::int64_t>(begin), static_cast<std::int64_t>(end)),
        rows.subspan(begin, end - begin), count, list);
  }
}

void NextTokens::ask(const Tensor& states, std::span<const std::int64_t> rows, std::int64_t count,
                     const Shortlist* list) {
  std::vector<std::int32_t> masks, targets;
  for (const std::int64_t row : rows) {
    const RowQuestion& question = questions_[row];
    const std::int32_t forced = question.choice.forced;
    const std::int32_t target = std::max(0, forced >= 0 ? forced : question.target);
    const bool is_asked = list != nullptr && (forced >= 0 || question.target >= 0);
    targets.push_back(is_asked ? list->place_of(target) : target);
    masks.push_back(
        static_cast<std::int32_t>(list != nullptr ? question.list_mask : question.mask));
  }
  const Device device = states.device();
  const Tensor& words = list != nullptr ? list->masks() : masks_;
  const bool first_alone =
      std::all_of(masks.begin(), masks.end(), [](std::int32_t mask) { return mask == 0; });
  const TokenMasks choices{words,
                           !words.defined() || first_alone ? Tensor() : there(masks, device)};
  answers_.push_back(predict(list != nullptr ? list->projection() : *output_.prepacked, states,
                             count, choices, there(targets, device)));
  Predictions& found = answers_.back();
  if (list != nullptr) list->name(found.tokens);
  const auto each = static_cast<std::size_t>(found.count);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::int64_t row = rows[i];
    rows_[row] = answer({std::span(found.values).subspan(i * each, each),
                         std::span(found.tokens).subspan(i * each, each), found.target_values[i]},
                        questions_[row]);
  }
}

/// Applies the constraint to an answer. If a token is forced, the target's value is that token's.
Continuations NextTokens::answer(const Continuations& offered, const RowQuestion& question) {
  const Constraint::Choice& choice = question.choice;
  if (choice.forced < 0) {
    return {offered.values, offered.tokens, choice.may_end ? offered.target_value : kNever};
  }
  const bool ends = choice.forced == question.target;
  forced_.push_back(
      {{ends ? kNever : offered.target_value, kNever}, {ends ? -1 : choice.forced, -1}});
  return {forced_.back().values, forced_.back().tokens, ends ? offered.target_value : kNever};
}

}  // namespace kette
