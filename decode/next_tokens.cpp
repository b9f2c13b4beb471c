#include "decode/next_tokens.h"

#include <limits>
#include <numeric>
#include <utility>

namespace kette {
namespace {

constexpr float kNever = -std::numeric_limits<float>::infinity();

}  // namespace

SearchVocabulary SearchVocabulary::of(const SpecialTokens& special, bool allow_unknown) {
  SearchVocabulary vocabulary{special.end, {special.pad, special.begin}};
  if (!allow_unknown) vocabulary.banned.push_back(special.unknown);
  return vocabulary;
}

std::vector<std::vector<bool>> SearchVocabulary::allowed(std::int64_t tokens, bool with_end) const {
  std::vector<std::vector<bool>> all = {std::vector<bool>(static_cast<std::size_t>(tokens), true)};
  if (constraint != nullptr) {
    for (std::vector<bool>& mask : constraint->masks()) {
      KETTE_CHECK(std::ssize(mask) == tokens, "constraint: expected masks of ", tokens,
                  " tokens, the vocabulary, given one of ", mask.size());
      all.push_back(std::move(mask));
    }
  }
  for (std::vector<bool>& mask : all) {
    for (const std::int32_t token : banned) mask.at(static_cast<std::size_t>(token)) = false;
    if (end >= 0 && !with_end) mask.at(static_cast<std::size_t>(end)) = false;
  }
  return all;
}

NextTokens::NextTokens(const Linear& output, const Tensor& states, std::int64_t count,
                       const SearchVocabulary& vocabulary, Tensor masks,
                       std::vector<Constraint::Choice> choices, std::vector<const Shortlist*> lists)
    : output_(output),
      states_(states),
      end_(vocabulary.end),
      masks_(std::move(masks)),
      choices_(std::move(choices)),
      lists_(std::move(lists)),
      rows_(static_cast<std::size_t>(states.rows())) {
  std::vector<std::int64_t> all(rows_.size());
  std::iota(all.begin(), all.end(), 0);
  ask(states_, all, count);
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
    const Shortlist* list = lists_[rows[begin]];
    while (end < rows.size() && lists_[rows[end]] == list) ++end;
    ask(states.slice(static_cast<std::int64_t>(begin), static_cast<std::int64_t>(end)),
        rows.subspan(begin, end - begin), count, list);
  }
}

void NextTokens::ask(const Tensor& states, std::span<const std::int64_t> rows, std::int64_t count,
                     const Shortlist* list) {
  TokenMasks masks{list != nullptr ? list->masks() : masks_, {}};
  const auto place_of = [&](std::int32_t token) {
    return list != nullptr ? list->place_of(token) : token;
  };
  const std::int32_t wanted = end_ < 0 ? 0 : place_of(end_);
  Tensor targets;
  if (choices_.empty()) {
    targets = Tensor::full({std::ssize(rows)}, wanted, DType::i32, states.device());
  } else {
    std::vector<std::int32_t> numbers, tokens;
    for (const std::int64_t row : rows) {
      const Constraint::Choice& choice = choices_[row];
      numbers.push_back(static_cast<std::int32_t>(choice.mask + 1));
      tokens.push_back(choice.forced >= 0 ? place_of(choice.forced) : wanted);
    }
    masks.rows = Tensor::from(numbers, states.device());
    targets = Tensor::from(tokens, states.device());
  }
  answers_.push_back(predict(list != nullptr ? list->projection() : *output_.prepacked, states,
                             count, masks, targets));
  Predictions& answer = answers_.back();
  if (list != nullptr) list->name(answer.tokens);
  const auto each = static_cast<std::size_t>(answer.count);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto row = static_cast<std::size_t>(rows[i]);
    rows_[row] = {std::span(answer.values).subspan(i * each, each),
                  std::span(answer.tokens).subspan(i * each, each), answer.target_values[i]};
    if (!choices_.empty()) rows_[row] = chosen(rows_[row], choices_[row]);
  }
}

/// end_value of what is offered: of the forced token, if there is one.
Continuations NextTokens::chosen(const Continuations& offered, const Constraint::Choice& choice) {
  if (choice.forced < 0) {
    return {offered.values, offered.tokens, choice.may_end ? offered.end_value : kNever};
  }
  const bool ends = choice.forced == end_;
  forced_.push_back({{ends ? kNever : offered.end_value, kNever}, {ends ? -1 : choice.forced, -1}});
  return {forced_.back().values, forced_.back().tokens, ends ? offered.end_value : kNever};
}

}  // namespace kette
