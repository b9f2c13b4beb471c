#include <algorithm>
#include <map>

#include "data/files/utf8.h"
#include "decode/mark_spans.h"

namespace kette::placing {
namespace {

using Units = std::vector<TextUnit>;
using Links = std::vector<std::pair<std::size_t, std::size_t>>;

/// Punctuation marks that correspond to each other are in one class.
char32_t punctuation_class(std::string_view unit) {
  const char32_t c = utf8_character(unit, 0).code_point;
  switch (c) {
    case U'"':
    case U'\'':
    case U'\u00AB':
    case U'\u00BB':
    case U'\u2018':
    case U'\u2019':
    case U'\u201A':
    case U'\u201C':
    case U'\u201D':
    case U'\u201E':
    case U'\u2039':
    case U'\u203A':
      return U'"';
    case U'-':
    case U'\u2010':
    case U'\u2011':
    case U'\u2012':
    case U'\u2013':
    case U'\u2014':
      return U'-';
    case U'\u3002':
    case U'\u2026':
      return U'.';
    case U'\uFF0C':
    case U'\u3001':
      return U',';
    case U'\uFF01':
      return U'!';
    case U'\uFF1F':
      return U'?';
    default:
      return c;
  }
}

/// Links them in order. Those of the longer list are chosen by the nearest relative position.
void link_in_order(const std::vector<std::size_t>& source, const std::vector<std::size_t>& target,
                   std::size_t source_units, std::size_t target_units, Links& links) {
  const bool swapped = target.size() > source.size();
  const std::vector<std::size_t>&few = swapped ? source : target, &many = swapped ? target : source;
  const auto share = [](std::size_t at, std::size_t units) {
    return static_cast<double>(at) / static_cast<double>(units);
  };
  const std::size_t few_units = swapped ? source_units : target_units,
                    many_units = swapped ? target_units : source_units;
  std::size_t next = 0;
  for (std::size_t i = 0; i < few.size(); ++i) {
    const std::size_t last = many.size() - (few.size() - i);
    const double wanted = share(few[i], few_units);
    while (next < last && share(many[next + 1], many_units) <= wanted) ++next;
    if (next < last &&
        share(many[next + 1], many_units) - wanted < wanted - share(many[next], many_units)) {
      ++next;
    }
    links.emplace_back(swapped ? few[i] : many[next], swapped ? many[next] : few[i]);
    ++next;
  }
}

void link_punctuation(std::string_view source_text, const Units& source,
                      std::string_view target_text, const Units& target, Links& links) {
  struct Places {
    std::vector<std::size_t> source, target;
  };
  std::map<char32_t, Places> places;
  for (std::size_t i = 0; i < source.size(); ++i) {
    if (!source[i].is_word)
      places[punctuation_class(source[i].of(source_text))].source.push_back(i);
  }
  for (std::size_t i = 0; i < target.size(); ++i) {
    if (!target[i].is_word)
      places[punctuation_class(target[i].of(target_text))].target.push_back(i);
  }
  for (const auto& [kind, of_both] : places) {
    link_in_order(of_both.source, of_both.target, source.size(), target.size(), links);
  }
}

/// Splits a unit at offsets within it.
void append_parts(const TextUnit& unit, const std::vector<std::size_t>& offsets, Units& parts) {
  TextUnit rest = unit;
  for (const std::size_t offset : offsets) {
    parts.push_back({rest.begin, unit.begin + offset, unit.is_word});
    rest.begin = unit.begin + offset;
  }
  parts.push_back(rest);
}

/// The offsets of marks within each unit, without duplicates.
std::vector<std::vector<std::size_t>> inner_offsets(const Units& units,
                                                    const std::vector<Mark>& marks) {
  std::vector<std::vector<std::size_t>> offsets(units.size());
  std::size_t unit = 0;
  for (const Mark& mark : marks) {
    while (unit < units.size() && units[unit].end <= mark.at) ++unit;
    if (unit == units.size()) break;
    if (mark.at <= units[unit].begin || mark.kind == Mark::Kind::breaks) continue;
    const std::size_t offset = mark.at - units[unit].begin;
    if (offsets[unit].empty() || offsets[unit].back() != offset) offsets[unit].push_back(offset);
  }
  return offsets;
}

}  // namespace

LinkedTexts linked_texts(std::string_view source_text, std::string_view target_text,
                         const std::vector<Mark>& marks, const Links& given) {
  const Units source = text_units(source_text), target = text_units(target_text);
  Links links;
  for (const auto& [from, to] : given) {
    if (from >= source.size() || to >= target.size()) continue;
    if (source[from].is_word && target[to].is_word) links.emplace_back(from, to);
  }
  link_punctuation(source_text, source, target_text, target, links);
  std::sort(links.begin(), links.end());
  links.erase(std::unique(links.begin(), links.end()), links.end());

  const auto source_offsets = inner_offsets(source, marks);
  std::vector<std::vector<std::size_t>> target_offsets(target.size());
  std::vector<std::size_t> same(target.size(),
                                kNoMark);  // the source unit with whose parts it goes
  for (const auto& [from, to] : links) {
    if (source_offsets[from].empty() || same[to] != kNoMark) continue;
    if (source[from].of(source_text) != target[to].of(target_text)) continue;
    same[to] = from;
    target_offsets[to] = source_offsets[from];
  }
  LinkedTexts texts{source_text, target_text, {}, {}, {}, {}};
  std::vector<std::size_t> first_source, first_target;  // the first part of each unit
  for (std::size_t i = 0; i < source.size(); ++i) {
    first_source.push_back(texts.source.size());
    append_parts(source[i], source_offsets[i], texts.source);
  }
  for (std::size_t i = 0; i < target.size(); ++i) {
    first_target.push_back(texts.target.size());
    append_parts(target[i], target_offsets[i], texts.target);
  }
  texts.targets.resize(texts.source.size());
  std::vector<std::size_t> is_linked(texts.target.size());
  for (const auto& [from, to] : links) {
    const bool is_same = same[to] == from;
    const std::size_t parts = source_offsets[from].size() + 1,
                      others = is_same || parts == 1 ? target_offsets[to].size() + 1 : 1;
    for (std::size_t i = 0; i < parts; ++i) {
      for (std::size_t j = 0; j < others; ++j) {
        if (is_same && i != j) continue;
        texts.targets[first_source[from] + i].push_back(first_target[to] + j);
        is_linked[first_target[to] + j] = texts.target[first_target[to] + j].is_word;
      }
    }
  }
  texts.linked_words.push_back(0);
  for (const std::size_t one : is_linked) {
    texts.linked_words.push_back(texts.linked_words.back() + one);
  }
  return texts;
}

bool is_opening(std::string_view unit) {
  switch (utf8_character(unit, 0).code_point) {
    case U'(':
    case U'[':
    case U'{':
    case U'\u00AB':
    case U'\u201E':
    case U'\u201A':
    case U'\u00BF':
    case U'\u00A1':
      return true;
    default:
      return false;
  }
}

bool is_closing(std::string_view unit) {
  switch (utf8_character(unit, 0).code_point) {
    case U'.':
    case U',':
    case U';':
    case U':':
    case U'!':
    case U'?':
    case U')':
    case U']':
    case U'}':
    case U'%':
    case U'\u00BB':
    case U'\u201D':
    case U'\u2019':
    case U'\u2026':
    case U'\u3001':
    case U'\u3002':
    case U'\uFF01':
    case U'\uFF0C':
    case U'\uFF1F':
      return true;
    default:
      return false;
  }
}

}  // namespace kette::placing
