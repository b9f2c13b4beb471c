#include "decode/tree_constraint.h"

#include <utility>

#include "tensor/error.h"

namespace kette {
namespace {

/// What may come next. Each combination has a mask with its own number.
struct Allowed {
  bool opening = false, tag = false;
  std::int64_t closing = 0;  ///< 1 + the label that may be closed, counted from the first; 0: none

  std::int64_t mask() const { return 4 * closing + 2 * (opening ? 1 : 0) + (tag ? 1 : 0); }
};

/// The open constituents after some symbols.
struct OpenTree {
  struct Constituent {
    std::int32_t label;
    bool is_empty;
  };
  std::vector<Constituent> open;
  std::int64_t tags = 0;

  void read(std::int32_t symbol, const TreeTokenizer& tokenizer) {
    if (tokenizer.closes(symbol)) {
      open.pop_back();
      return;
    }
    if (!open.empty()) open.back().is_empty = false;
    if (tokenizer.opens(symbol)) {
      open.push_back({symbol, true});
    } else {
      ++tags;
    }
  }
};

}  // namespace

TreeConstraint::TreeConstraint(TreeTokenizer::Shared tokenizer, std::int64_t words,
                               std::int64_t longest)
    : tokenizer_(std::move(tokenizer)), words_(words), longest_(longest) {
  KETTE_CHECK(words > 0, "parse: expected sentences with words, given one without");
  KETTE_CHECK(longest >= shortest(words), "parse: expected room for the ", shortest(words),
              " symbols of the shortest tree of ", words, " words, given ", longest);
}

std::vector<std::vector<bool>> TreeConstraint::masks() const {
  const auto size = static_cast<std::size_t>(tokenizer_->vocabulary());
  std::vector<std::vector<bool>> masks;
  const std::int32_t first = tokenizer_->first_label();
  for (std::int64_t closing = 0; closing <= tokenizer_->labels(); ++closing) {
    for (const bool opening : {false, true}) {
      for (const bool tag : {false, true}) {
        std::vector<bool> mask(size);
        for (std::int32_t id = first; id < std::ssize(mask); ++id) {
          mask[id] = tokenizer_->opens(id) ? opening : tokenizer_->is_tag(id) && tag;
        }
        if (closing > 0) {
          mask[tokenizer_->closing(first + static_cast<std::int32_t>(closing) - 1)] = true;
        }
        masks.push_back(std::move(mask));
      }
    }
  }
  return masks;
}

Constraint::Choice TreeConstraint::after(std::span<const std::int32_t> tokens) const {
  OpenTree tree;
  for (const std::int32_t symbol : tokens) tree.read(symbol, *tokenizer_);
  const auto depth = std::ssize(tree.open);
  if (depth == 0 && !tokens.empty()) return {.forced = tokenizer_->special().end};
  const std::int64_t left = words_ - tree.tags, room = longest_ - std::ssize(tokens);
  Allowed allowed;
  allowed.opening = left > 0 && depth < kMaxOpen && room >= left + depth + 2;
  allowed.tag = left > 0 && depth > 0;
  const bool closes = depth > 0 && !tree.open.back().is_empty && (depth > 1 || left == 0);
  if (closes) allowed.closing = 1 + tree.open.back().label - tokenizer_->first_label();
  return {.mask = allowed.mask(), .may_end = false};
}

}  // namespace kette
