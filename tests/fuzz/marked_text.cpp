// What a translation must not change, the numbers of two texts, and marks carried over from one to the other.
#include <algorithm>

#include "data/sentences/numbers.h"
#include "data/sentences/protected_text.h"
#include "decode/mark_placement.h"
#include "tests/fuzz/targets.h"

namespace kette::fuzz {
namespace {

std::vector<std::string> seeds() {
  return {joined({"See https://a.de/(x) and %1$s, {name}.", "Siehe {x} und 1.234,5",
                  "\1\4\2\x0A\3\x10", std::string_view("\0\0\1\2\2\1", 6)}),
          joined({"<<a>> $X --help a@b.de 10:30 p.m.", "\xE6\x97\xA5\xC2\xA0x", "\1\0\1\5\2\7\2\6",
                  "\1\1"}),
          joined({"\xFF{{x}} ${y}", "", "\3\0\0\3", ""})};
}

void check_units(std::string_view text) {
  std::size_t last = 0;
  for (const TextUnit& unit : text_units(text)) {
    expect(unit.begin >= last && unit.end > unit.begin && unit.end <= text.size(),
           "units one after the other");
    last = unit.end;
  }
  last = 0;
  for (const ProtectedSpan& span : protected_spans(text)) {
    expect(span.begin >= last && span.end > span.begin && span.end <= text.size(),
           "protected spans one after the other");
    last = span.end;
  }
  for (const std::string language : {"en", "de", "fr"}) {
    last = 0;
    for (const Number& number : numbers_in(text, language)) {
      expect(number.begin >= last && number.end > number.begin && !number.value.empty(),
             "numbers one after the other");
      last = number.end;
    }
    expect(missing_numbers(text, language, text, language).empty(),
           "no number that a text lacks of itself");
  }
}

/// Of each two bytes a kind and a place; what closes does so for the last that opened.
std::vector<Mark> marks_of(std::string_view bytes) {
  std::vector<Mark> marks;
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i + 1 < bytes.size(); i += 2) {
    Mark mark;
    mark.kind = static_cast<Mark::Kind>(static_cast<unsigned char>(bytes[i]) % 4);
    mark.at = static_cast<unsigned char>(bytes[i + 1]);
    mark.bytes = std::to_string(marks.size());
    if (mark.kind == Mark::Kind::opens) open.push_back(marks.size());
    if (mark.kind == Mark::Kind::closes && !open.empty()) {
      mark.partner = open.back();
      marks[open.back()].partner = marks.size();
      // A high bit leaves it open, so that pairs cross.
      if (static_cast<unsigned char>(bytes[i]) < 0x80) open.pop_back();
    }
    marks.push_back(mark);
  }
  return marks;
}

void read(std::string_view input) {
  const auto given = parts(input, 4);
  check_units(given[0]);
  check_units(given[1]);
  const std::vector<Mark> marks = marks_of(given[2]);
  UnitLinks links;
  for (std::size_t i = 0; i + 1 < given[3].size(); i += 2) {
    links.emplace_back(static_cast<unsigned char>(given[3][i]),
                       static_cast<unsigned char>(given[3][i + 1]));
  }
  const MarkedText result = place_marks(given[0], marks, given[1], links);
  expect(result.marks.size() == marks.size(), "as many marks as there were");
  std::vector<bool> seen(marks.size());
  std::size_t last = 0;
  for (const Mark& mark : result.marks) {
    const std::size_t number = std::stoul(mark.bytes);
    expect(!seen[number], "each mark once");
    seen[number] = true;
    expect(mark.kind == marks[number].kind, "marks of the kinds that they had");
    expect(mark.at >= last && mark.at <= result.text.size(), "marks that rise within the text");
    last = mark.at;
  }
  std::size_t at = 0;
  for (const char c : given[1]) {
    while (at < result.text.size() && result.text[at] == ' ' && c != ' ') ++at;
    expect(at < result.text.size() && result.text[at] == c, "the target, but for spaces");
    ++at;
  }
}

}  // namespace

const Target marked_text = {"marked_text", seeds, read};

}  // namespace kette::fuzz
