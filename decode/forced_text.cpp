#include "decode/forced_text.h"

#include <utility>

namespace kette {

ForcedText::ForcedText(std::vector<std::int32_t> tokens, std::int32_t end)
    : tokens_(std::move(tokens)), has_end_(end >= 0) {
  if (has_end_) tokens_.push_back(end);
}

Policy::Chosen ForcedText::choose(std::span<const Continuations> answers) {
  const float value = answers.front().target_value;
  result_.token_log_probabilities.push_back(value);
  result_.log_probability += double(value);
  ++seen_;
  return rows() > 0 ? Chosen{{}, {0}} : Chosen{};
}

std::vector<Hypothesis> ForcedText::results() {
  result_.tokens = std::move(tokens_);
  if (has_end_) result_.tokens.pop_back();
  return {std::move(result_)};
}

}  // namespace kette
