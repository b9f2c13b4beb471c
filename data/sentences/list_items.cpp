#include "data/sentences/list_items.h"

#include "data/files/utf8.h"

namespace kette::sentences {

ItemMark item_mark(std::string_view text, Word word) {
  constexpr std::size_t kLongest = 6;  // "(123.)"
  std::string_view view = text.substr(word.begin, word.end - word.begin);
  if (view.size() > kLongest) return {};
  ItemMark mark;
  if (view.ends_with(".)")) {
    mark.form = ItemMark::Form::stop_and_bracket;
    view.remove_suffix(2);
  } else if (view.ends_with(')')) {
    mark.form = ItemMark::Form::bracket;
    view.remove_suffix(1);
  } else if (view.ends_with('.')) {
    mark.form = ItemMark::Form::stop;
    view.remove_suffix(1);
  }
  if (mark.form == ItemMark::Form::none) return {};
  if (view.starts_with('(')) view.remove_prefix(1);
  if (view.empty()) return {};
  mark.is_letter = view.size() == 1 && view[0] >= 'a' && view[0] <= 'z';
  if (mark.is_letter) {
    mark.value = static_cast<std::uint32_t>(view[0] - 'a' + 1);
    return mark;
  }
  for (const char c : view) {
    if (c < '0' || c > '9') return {};
    mark.value = mark.value * 10 + static_cast<std::uint32_t>(c - '0');
  }
  return mark;
}

void ListItems::begin(std::string_view text, Word word) {
  const Utf8Character first = utf8_character(text, word.begin);
  bullet_ = is_bullet(first.code_point) ? first.code_point : 0;
  mark_ = item_mark(text, word);
  // Ordinals look the same.
  if (mark_.form == ItemMark::Form::stop && !mark_.is_letter && language_->has_ordinals()) {
    mark_ = {};
  }
}

bool ListItems::continues(std::string_view text, Word word) const {
  if (bullet_ != 0 && utf8_character(text, word.begin).code_point == bullet_) return true;
  if (mark_.form == ItemMark::Form::none) return false;
  const ItemMark mark = item_mark(text, word);
  if (mark.form != mark_.form || mark.is_letter != mark_.is_letter) return false;
  if (mark.value != mark_.value + 1) return false;
  return start_of(text, next_word(text, word.end)).lead == Lead::capital;
}

}  // namespace kette::sentences
