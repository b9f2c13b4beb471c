#include "decode/mark_placement.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "data/files/utf8.h"
#include "decode/mark_spans.h"

namespace kette {
namespace {

using namespace placing;  // NOLINT(google-build-using-namespace): the parts of this
using Kind = Mark::Kind;

/// The marks with ascending places within the text.
std::vector<Mark> in_order(std::vector<Mark> marks, std::size_t size) {
  std::size_t least = 0;
  for (Mark& mark : marks) least = mark.at = std::clamp(mark.at, least, std::max(least, size));
  return marks;
}

/// A mark in the gap before a target unit.
struct Item {
  std::size_t mark, gap;
  bool is_alone;  ///< or of a pair that encloses nothing
};

/// All marks except line breaks, in target order.
std::vector<Item> items_in_order(const std::vector<MarkNode>& nodes,
                                 const std::vector<TargetSpan>& spans) {
  struct Open {
    std::size_t node;
    std::vector<std::size_t> children;
    std::size_t next;
  };
  const auto sorted_children = [&](std::size_t node) {
    std::vector<std::size_t> children = nodes[node].children;
    std::stable_sort(children.begin(), children.end(), [&](std::size_t a, std::size_t b) {
      const auto is_wide = [&](std::size_t i) { return spans[i].begin < spans[i].end; };
      return std::pair(spans[a].begin, is_wide(a)) < std::pair(spans[b].begin, is_wide(b));
    });
    return children;
  };
  std::vector<Item> items;
  std::vector<Open> open;
  open.push_back({0, sorted_children(0), 0});
  while (!open.empty()) {
    Open& top = open.back();
    const MarkNode& node = nodes[top.node];
    const TargetSpan& span = spans[top.node];
    if (top.next == 0 && top.node != 0) {
      items.push_back({node.opens, span.begin, span.begin == span.end});
    }
    if (top.next < top.children.size()) {
      const std::size_t child = top.children[top.next++];
      open.push_back({child, sorted_children(child), 0});
      continue;
    }
    if (top.node != 0 && node.closes != node.opens) {
      items.push_back({node.closes, span.end, span.begin == span.end});
    }
    open.pop_back();
  }
  return items;
}

/// Writes the target with its marks and with white space around them as in the source.
class Writer {
 public:
  Writer(const std::vector<Mark>& marks, const LinkedTexts& texts)
      : marks_(marks), texts_(texts), numbers_(marks.size(), Mark::kNoPartner) {}

  MarkedText write(const std::vector<Item>& items) {
    std::size_t next = 0;
    for (std::size_t gap = 0; gap <= texts_.target.size(); ++gap) {
      const std::size_t first = next;
      while (next < items.size() && items[next].gap == gap) ++next;
      write_gap(gap, {items.data() + first, next - first});
      if (gap < texts_.target.size()) {
        written_.text += texts_.target[gap].of(texts_.target_text);
      }
    }
    for (Mark& mark : written_.marks) {
      if (mark.partner < numbers_.size()) mark.partner = numbers_[mark.partner];
    }
    return std::move(written_);
  }

 private:
  static std::string_view gap_text(std::string_view text, const std::vector<TextUnit>& units,
                                   std::size_t gap) {
    const std::size_t begin = gap == 0 ? 0 : units[gap - 1].end,
                      end = gap == units.size() ? text.size() : units[gap].begin;
    return text.substr(begin, end - begin);
  }
  bool is_blank(std::size_t at) const {
    return std::string_view(" \t\n\r").find(texts_.source_text[at]) != std::string_view::npos;
  }
  std::size_t at(const Item& item) const { return marks_[item.mark].at; }
  bool blank_before(const Item& item) const { return at(item) == 0 || is_blank(at(item) - 1); }
  bool blank_behind(const Item& item) const {
    return at(item) == texts_.source_text.size() || is_blank(at(item));
  }

  /// The unit of the source that the place is in, or the next one.
  std::size_t source_unit_behind(std::size_t place) const {
    const std::vector<TextUnit>& units = texts_.source;
    return static_cast<std::size_t>(
        std::partition_point(units.begin(), units.end(),
                             [&](const TextUnit& unit) { return unit.end <= place; }) -
        units.begin());
  }
  /// A single mark that punctuation parted from its neighbour, which may be gone in the target.
  bool is_parted(const Item& item, std::size_t place) const {
    if (marks_[item.mark].kind != Kind::stands) return false;
    const std::size_t unit = source_unit_behind(place);
    return unit < texts_.source.size() && texts_.source[unit].begin <= place &&
           !texts_.source[unit].is_word;
  }
  /// Whether a word of the target would come right before the first, or behind the last, of a gap's marks.
  bool is_parted_from_word(std::size_t gap, std::span<const Item> items, std::size_t slot) const {
    if (slot == 0) {
      return gap > 0 && texts_.target[gap - 1].is_word && at(items[0]) > 0 &&
             is_parted(items[0], at(items[0]) - 1);
    }
    return slot == items.size() && gap < texts_.target.size() && texts_.target[gap].is_word &&
           is_parted(items.back(), at(items.back()));
  }

  void write_mark(const Item& item) {
    numbers_[item.mark] = written_.marks.size();
    written_.marks.push_back(marks_[item.mark]);
    written_.marks.back().at = written_.text.size();
  }

  void write_gap(std::size_t gap, std::span<const Item> items) {
    const std::string_view blanks = gap_text(texts_.target_text, texts_.target, gap);
    std::size_t used = 0;
    const std::vector<std::size_t> shares = shares_of(gap, blanks, items);
    for (std::size_t slot = 0; slot <= items.size(); ++slot) {
      if (!shares.empty()) {
        written_.text += blanks.substr(used, shares[slot]);
        used += shares[slot];
      } else if (slot == slot_of_blanks(gap, blanks, items)) {
        written_.text += blanks;
      } else if (needs_blank(gap, items, slot)) {
        written_.text += ' ';
      }
      if (slot < items.size()) write_mark(items[slot]);
    }
  }

  /// If all marks come from one gap of the source that is as wide as this one: the blanks before
  /// each mark, and after the last one. None where a word has come in the place of punctuation.
  std::vector<std::size_t> shares_of(std::size_t target_gap, std::string_view blanks,
                                     std::span<const Item> items) const {
    if (items.empty()) return {blanks.size()};
    if (is_parted_from_word(target_gap, items, 0) ||
        is_parted_from_word(target_gap, items, items.size())) {
      return {};
    }
    const std::vector<TextUnit>& units = texts_.source;
    const std::size_t gap = source_unit_behind(at(items.front()));
    if (gap_text(texts_.source_text, units, gap).size() != blanks.size()) return {};
    std::size_t last = gap == 0 ? 0 : units[gap - 1].end;
    std::vector<std::size_t> shares;
    for (const Item& item : items) {
      if (at(item) < last || source_unit_behind(at(item)) != gap) return {};
      shares.push_back(at(item) - last);
      last = at(item);
    }
    const std::size_t end = gap == units.size() ? texts_.source_text.size() : units[gap].begin;
    if (last > end) return {};
    shares.push_back(end - last);
    return shares;
  }

  /// Whether the marks on both sides of a slot had white space there, or punctuation where there is a word now.
  bool wants_blank(std::size_t gap, std::span<const Item> items, std::size_t slot) const {
    if (is_parted_from_word(gap, items, slot)) return true;
    if (slot > 0 && slot < items.size() && at(items[slot - 1]) == at(items[slot])) return false;
    return (slot == 0 || blank_behind(items[slot - 1])) &&
           (slot == items.size() || blank_before(items[slot]));
  }
  /// The slot for the target's own white space; one past the last if it has none.
  std::size_t slot_of_blanks(std::size_t gap, std::string_view blanks,
                             std::span<const Item> items) const {
    if (blanks.empty()) return items.size() + 1;
    for (std::size_t slot = 0; slot <= items.size(); ++slot) {
      if (wants_blank(gap, items, slot)) return slot;
    }
    std::size_t slot = 0;
    for (; slot < items.size(); ++slot) {
      const Kind kind = marks_[items[slot].mark].kind;
      const bool goes_right = blank_before(items[slot]) && !blank_behind(items[slot]);
      if (kind == Kind::opens || (kind == Kind::stands && goes_right)) break;
    }
    return slot;
  }
  /// Two single marks that had white space somewhere between them, and are now at one place.
  bool met_here(std::span<const Item> items, std::size_t slot) const {
    if (slot == 0 || slot == items.size()) return false;
    const Item &left = items[slot - 1], &right = items[slot];
    const auto stands = [&](const Item& item) { return marks_[item.mark].kind == Kind::stands; };
    if (!stands(left) || !stands(right) || at(right) <= at(left)) return false;
    for (std::size_t place = at(left); place < at(right); ++place) {
      if (is_blank(place)) return true;
    }
    return false;
  }
  /// Only single marks need a space, but not at the ends of the text or beside punctuation of
  /// words.
  bool needs_blank(std::size_t gap, std::span<const Item> items, std::size_t slot) const {
    if (met_here(items, slot)) return true;
    if (!wants_blank(gap, items, slot)) return false;
    const bool is_beside_alone =
        (slot > 0 && items[slot - 1].is_alone) || (slot < items.size() && items[slot].is_alone);
    if (!is_beside_alone) return false;
    const auto unit = [&](std::size_t i) { return texts_.target[i].of(texts_.target_text); };
    if (slot == 0) return gap > 0 && !is_opening(unit(gap - 1));
    if (slot == items.size()) return gap < texts_.target.size() && !is_closing(unit(gap));
    return true;
  }

  const std::vector<Mark>& marks_;
  const LinkedTexts& texts_;
  std::vector<std::size_t> numbers_;  // what each mark becomes
  MarkedText written_;
};

/// A place, also counted in characters.
struct Place {
  std::size_t at;
  double characters;
  bool behind_punctuation;
};

/// Counts the characters before places. Call to() with ascending places.
class Places {
 public:
  explicit Places(std::string_view text) : text_(text) {}
  Place to(std::size_t at) {
    for (; at_ < at; ++at_) characters_ += continues_utf8(text_[at_]) ? 0 : 1;
    const bool is_behind = at > 0 && std::string_view(".,;:!?").find(text_[at - 1]) < 6;
    return {at, characters_, is_behind};
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
  double characters_ = 0;
};

/// The space of the target that each line break replaces: the nearest to its relative position in
/// the source, preferably after punctuation if it was after punctuation.
std::vector<std::size_t> break_places(std::string_view source, const std::vector<Mark>& breaks,
                                      std::string_view target) {
  Places in_source(source), in_target(target);
  std::vector<Place> wanted, spaces;
  for (const Mark& one : breaks) wanted.push_back(in_source.to(one.at));
  for (std::size_t i = 0; i < target.size(); ++i) {
    if (target[i] == ' ') spaces.push_back(in_target.to(i));
  }
  std::vector<std::size_t> places(breaks.size(), target.size());
  if (spaces.empty()) return places;
  const double source_length = in_source.to(source.size()).characters,
               target_length = in_target.to(target.size()).characters;
  const double scale = source_length > 0 ? target_length / source_length : 0;
  const double bonus = target_length / static_cast<double>(4 * (breaks.size() + 1));
  const bool may_share = spaces.size() < breaks.size();
  constexpr std::size_t kSeen = 8;  // spaces at either side
  std::size_t least = 0;
  for (std::size_t i = 0; i < breaks.size(); ++i) {
    const double ideal =
        source_length == target_length ? wanted[i].characters : wanted[i].characters * scale;
    const std::size_t most = may_share ? spaces.size() - 1 : spaces.size() - (breaks.size() - i);
    const auto near = static_cast<std::size_t>(
        std::partition_point(spaces.begin(), spaces.end(),
                             [&](const Place& space) { return space.characters < ideal; }) -
        spaces.begin());
    const std::size_t first = std::clamp(near > kSeen ? near - kSeen : 0, least, most),
                      last = std::clamp(near + kSeen, first, most);
    std::size_t best = first;
    double least_cost = -1;
    for (std::size_t space = first; space <= last; ++space) {
      const double distance = std::abs(spaces[space].characters - ideal);
      const bool fits = wanted[i].behind_punctuation && spaces[space].behind_punctuation;
      const double cost = distance + (fits ? 0 : bonus);
      if (least_cost >= 0 && cost >= least_cost) continue;
      least_cost = cost;
      best = space;
    }
    places[i] = spaces[best].at;
    least = may_share ? best : best + 1;
  }
  return places;
}

/// Adds the line breaks after the marks at the same place.
void add_breaks(std::string_view source, const std::vector<Mark>& marks, MarkedText& written) {
  std::vector<Mark> breaks;
  for (const Mark& mark : marks) {
    if (mark.kind == Kind::breaks) breaks.push_back(mark);
  }
  if (breaks.empty()) return;
  const std::vector<std::size_t> places = break_places(source, breaks, written.text);
  std::vector<Mark> all;
  std::vector<std::size_t> numbers;  // of the others among all
  std::size_t next = 0;
  const auto add_before = [&](std::size_t at) {
    for (; next < breaks.size() && places[next] < at; ++next) {
      all.push_back(breaks[next]);
      all.back().at = places[next];
      all.back().partner = Mark::kNoPartner;
    }
  };
  for (Mark& mark : written.marks) {
    add_before(mark.at);
    numbers.push_back(all.size());
    all.push_back(std::move(mark));
  }
  add_before(written.text.size() + 1);
  for (Mark& mark : all) {
    if (mark.partner < numbers.size()) mark.partner = numbers[mark.partner];
  }
  written.marks = std::move(all);
}

}  // namespace

MarkedText place_marks(std::string_view source, const std::vector<Mark>& given,
                       std::string_view target, const UnitLinks& links) {
  const std::vector<Mark> marks = in_order(given, source.size());
  const LinkedTexts texts = linked_texts(source, target, marks, links);
  const std::vector<MarkNode> nodes = mark_tree(marks, texts.source);
  const std::vector<TargetSpan> spans = target_spans(nodes, marks, texts);
  MarkedText written = Writer(marks, texts).write(items_in_order(nodes, spans));
  add_breaks(source, marks, written);
  return written;
}

}  // namespace kette
