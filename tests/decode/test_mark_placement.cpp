// Marks with brackets for tags, so that a marked text is read as it is written.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "decode/mark_placement.h"
#include "tensor/random.h"
#include "tests/support.h"

using kette::Mark;
using kette::MarkedText;
using kette::place_marks;
using kette::text_units;
using kette::UnitLinks;
using Kind = Mark::Kind;

namespace {

/// "a <b>c</b> {x}|d": tags, {...} stands alone, | is a break in the place of a space.
struct Written {
  std::string text;
  std::vector<Mark> marks;
};
Written parse(const std::string& written) {
  Written result;
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < written.size();) {
    const char c = written[i];
    if (c == '|') {
      result.marks.push_back({Kind::breaks, result.text.size(), "|", Mark::kNoPartner});
      result.text += ' ';
      ++i;
      continue;
    }
    if (c != '<' && c != '{') {
      result.text += c;
      ++i;
      continue;
    }
    const std::size_t end = written.find(c == '<' ? '>' : '}', i) + 1;
    Mark mark{Kind::stands, result.text.size(), written.substr(i, end - i), Mark::kNoPartner};
    i = end;
    if (c == '<') mark.kind = mark.bytes[1] == '/' ? Kind::closes : Kind::opens;
    if (mark.kind == Kind::opens) open.push_back(result.marks.size());
    if (mark.kind == Kind::closes && !open.empty()) {
      mark.partner = open.back();
      result.marks[open.back()].partner = result.marks.size();
      open.pop_back();
    }
    result.marks.push_back(mark);
  }
  return result;
}

std::string written(const std::string& text, const std::vector<Mark>& marks) {
  std::string out;
  std::size_t at = 0;
  for (const Mark& mark : marks) {
    REQUIRE(mark.at + 1 >= at);
    REQUIRE(mark.at <= text.size());
    if (mark.at > at) out += text.substr(at, mark.at - at);
    out += mark.bytes;
    at = mark.at + (mark.kind == Kind::breaks && mark.at < text.size() ? 1 : 0);
  }
  return out + text.substr(std::min(at, text.size()));
}

/// Links of words by a dictionary "dog Hund, the der die".
UnitLinks links_by(const std::string& source, const std::string& target,
                   const std::map<std::string, std::vector<std::string>>& dictionary) {
  UnitLinks links;
  const auto from = text_units(source), to = text_units(target);
  for (std::size_t i = 0; i < from.size(); ++i) {
    const auto found = dictionary.find(std::string(from[i].of(source)));
    if (found == dictionary.end()) continue;
    for (std::size_t j = 0; j < to.size(); ++j) {
      for (const std::string& word : found->second) {
        if (to[j].of(target) == word) links.emplace_back(i, j);
      }
    }
  }
  return links;
}

std::string placed(const std::string& source, const std::string& target,
                   const std::map<std::string, std::vector<std::string>>& dictionary) {
  const Written marked = parse(source);
  const MarkedText result =
      place_marks(marked.text, marked.marks, target, links_by(marked.text, target, dictionary));
  CHECK(result.marks.size() == marked.marks.size());
  return written(result.text, result.marks);
}

const std::map<std::string, std::vector<std::string>> kWords = {{"the", {"den", "der", "die"}},
                                                                {"dog", {"Hund"}},
                                                                {"cat", {"Katze"}},
                                                                {"sees", {"sieht"}},
                                                                {"big", {"große", "großen"}},
                                                                {"today", {"Heute"}},
                                                                {"He", {"Er"}},
                                                                {"has", {"hat"}},
                                                                {"eaten", {"gegessen"}},
                                                                {"bread", {"Brot"}},
                                                                {"Press", {"Drücke"}},
                                                                {"now", {"jetzt"}},
                                                                {"a", {"ein"}},
                                                                {"items", {"Artikel"}},
                                                                {"H2O", {"H2O"}}};

kette::UnitLinks identity(const std::string& text) {
  UnitLinks links;
  for (std::size_t i = 0; i < text_units(text).size(); ++i) links.emplace_back(i, i);
  return links;
}

/// Each mark once, those of a pair around each other as before; nothing of the text lost.
void check_sound(const std::vector<Mark>& before, const std::string& target,
                 const MarkedText& after) {
  std::vector<std::string> wanted, given;
  for (const Mark& mark : before) wanted.push_back(mark.bytes);
  for (const Mark& mark : after.marks) given.push_back(mark.bytes);
  std::sort(wanted.begin(), wanted.end());
  std::sort(given.begin(), given.end());
  CHECK(wanted == given);
  std::size_t last = 0;
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < after.marks.size(); ++i) {
    const Mark& mark = after.marks[i];
    CHECK(mark.at >= last);
    CHECK(mark.at <= after.text.size());
    last = mark.at;
    if (mark.partner == Mark::kNoPartner) continue;
    if (mark.kind == Kind::opens) open.push_back(i);
    if (mark.kind == Kind::closes) {
      REQUIRE_FALSE(open.empty());
      CHECK(mark.partner == open.back());
      CHECK(after.marks[open.back()].partner == i);
      open.pop_back();
    }
  }
  CHECK(open.empty());
  std::size_t at = 0;  // only spaces are added
  for (const char c : target) {
    while (at < after.text.size() && after.text[at] == ' ' && c != ' ') ++at;
    REQUIRE(at < after.text.size());
    CHECK(after.text[at++] == c);
  }
}

/// A text of words, marks and blanks, and marks that pair well.
Written random_marked(kette::Random& random, bool with_breaks) {
  static const std::vector<std::string> kPieces = {
      "dog", "Hund", "H2O", ",",  ".",     " ",    " ", " ",     "  ", "(",       ")",
      "\"",  "ü",    "日",  "本", "don't", "3.50", "-", "l'eau", " ",  "\xC2\xA0"};
  Written result;
  std::vector<std::size_t> open;
  int number = 0;
  const auto add = [&](Kind kind, std::size_t partner) {
    result.marks.push_back(
        {kind, result.text.size(), "#" + std::to_string(number++) + ";", partner});
  };
  const std::int64_t length = random.below(24);
  for (std::int64_t i = 0; i < length; ++i) {
    while (random.below(4) == 0) {
      const std::int64_t kind = random.below(3);
      if (kind == 0) add(Kind::stands, Mark::kNoPartner);
      if (kind == 1) {
        open.push_back(result.marks.size());
        add(Kind::opens, Mark::kNoPartner);
      }
      if (kind == 2 && !open.empty()) {
        const std::size_t partner = open.back();
        open.pop_back();
        result.marks[partner].partner = result.marks.size();
        add(Kind::closes, partner);
      }
    }
    const std::string& piece = kPieces[static_cast<std::size_t>(random.below(std::ssize(kPieces)))];
    if (with_breaks && piece == " " && random.below(3) == 0) add(Kind::breaks, Mark::kNoPartner);
    result.text += piece;
  }
  for (; !open.empty(); open.pop_back()) {
    result.marks[open.back()].partner = result.marks.size();
    add(Kind::closes, open.back());
  }
  return result;
}

}  // namespace

TEST_CASE("mark placement: pairs go with their words") {
  CHECK(placed("the <b>dog</b> sees the cat.", "Die Katze sieht der Hund.", kWords) ==
        "Die Katze sieht der <b>Hund</b>.");
  CHECK(placed("<b>today</b>, a <i>dog</i>", "Heute, ein Hund", kWords) ==
        "<b>Heute</b>, ein <i>Hund</i>");
  CHECK(placed("<b>He sees the dog</b>.", "Den Hund sieht er", kWords) ==
        "<b>Den Hund sieht er</b>");
  CHECK(placed("<b><i>dog</i> cat</b>", "Katze und Hund", kWords) ==
        "<b>Katze und <i>Hund</i></b>");
  CHECK(placed("(<b>dog</b>)", "(Hund)", kWords) == "(<b>Hund</b>)");
  CHECK(placed("H<sub>2</sub>O sees", "sieht H2O", kWords) == "sieht H<sub>2</sub>O");
}

TEST_CASE(
    "mark placement: a pair whose words come apart goes round them, unless that is too much") {
  CHECK(placed("He <b>has eaten</b> bread", "Er hat Brot gegessen", kWords) ==
        "Er <b>hat Brot gegessen</b>");
  CHECK(placed("the <b>big dog</b> sees the cat today now",
               "große der Katze sieht die jetzt großen Hund",
               kWords) == "große der Katze sieht die jetzt <b>großen Hund</b>");
  // Not round words of another pair.
  CHECK(placed("<b>has eaten</b> <i>bread</i>", "hat Brot gegessen", kWords) ==
        "<b>hat</b> <i>Brot</i> gegessen");
}

TEST_CASE("mark placement: what stands alone comes behind the word before it, spaced as it was") {
  CHECK(placed("Press {x} now.", "Drücke jetzt.", kWords) == "Drücke {x} jetzt.");
  CHECK(placed("now the dog{1}.", "jetzt der Hund.", kWords) == "jetzt der Hund{1}.");
  CHECK(placed("{x} items", "Artikel", kWords) == "{x} Artikel");
  CHECK(placed("the dog, the cat {x}", "Katze und Hund", kWords) == "Katze und Hund {x}");
  CHECK(placed("now a {x}dog sees", "ein sieht jetzt Hund", kWords) == "ein sieht jetzt {x}Hund");
  CHECK(placed("Press {x} {y} now", "Drücke, jetzt", kWords) == "Drücke {x} {y}, jetzt");
  CHECK(placed("the dog sees {x}.", "den Hund sieht.", kWords) == "den Hund sieht {x}.");
  CHECK(placed("dog <a></a> cat", "Katze Hund ja", kWords) == "Katze Hund <a></a> ja");
  CHECK(placed("<b>dog {x}</b> cat", "Katze Hund", kWords) == "Katze <b>Hund {x}</b>");
  // Nor a word where punctuation was.
  CHECK(placed("the dog, {x}, now", "der Hund jetzt", kWords) == "der Hund {x} jetzt");
  CHECK(placed("the dog ({x}) now", "der Hund jetzt", kWords) == "der Hund {x} jetzt");
  CHECK(placed("{x}, the dog", "der Hund", kWords) == "{x} der Hund");
  CHECK(placed("the dog{1}, now", "der Hund jetzt", kWords) == "der Hund{1} jetzt");
  CHECK(placed("{x}'s dog", "Hund", kWords) == "{x} Hund");
  CHECK(placed("the dog ({x}), now", "der Hund (jetzt", kWords) == "der Hund ({x} jetzt");
}

TEST_CASE("mark placement: an empty target has all marks, in order") {
  CHECK(placed("a <b>dog {x}</b>|{y}", "", kWords) == "<b>{x}</b>|{y}");
  CHECK(placed("", "Hund", kWords) == "Hund");
  CHECK(kette::testing::contains(placed("{x}", "Hund", kWords), "{x}"));
}

TEST_CASE("mark placement: lines end at the shares of the text that they had") {
  CHECK(placed("aaa bbb|ccc ddd", "eee fff ggg hhh", kWords) == "eee fff|ggg hhh");
  CHECK(placed("aa bb cc,|dd ee ff gg", "aa bb, cc dd ee ff", kWords) == "aa bb,|cc dd ee ff");
  CHECK(placed("a|b|c", "xxxxxxxx y z", kWords) == "xxxxxxxx|y|z");
  CHECK(placed("a|b|c", "x y", kWords) == "x||y");
  CHECK(placed("a|b", "xy", kWords) == "xy|");
}

TEST_CASE("mark placement: a text that stays as it is has its marks where they were") {
  kette::Random random(7, 1);
  for (int i = 0; i < 3000; ++i) {
    const Written marked = random_marked(random, true);
    const MarkedText result =
        place_marks(marked.text, marked.marks, marked.text, identity(marked.text));
    CAPTURE(written(marked.text, marked.marks));
    REQUIRE(result.text == marked.text);
    REQUIRE(written(result.text, result.marks) == written(marked.text, marked.marks));
    for (std::size_t j = 0; j < marked.marks.size(); ++j) {
      CHECK(result.marks[j].at == marked.marks[j].at);
      CHECK(result.marks[j].partner == marked.marks[j].partner);
      CHECK(result.marks[j].bytes == marked.marks[j].bytes);
    }
  }
}

TEST_CASE(
    "mark placement: each mark once and pairs within each other, whatever is linked to what") {
  kette::Random random(8, 1);
  for (int i = 0; i < 3000; ++i) {
    const Written marked = random_marked(random, true);
    const std::string target = random_marked(random, false).text;
    UnitLinks links;
    const std::int64_t count = random.below(20);
    for (std::int64_t j = 0; j < count; ++j) {
      links.emplace_back(random.below(22), random.below(22));
    }
    CAPTURE(written(marked.text, marked.marks));
    CAPTURE(target);
    check_sound(marked.marks, target, place_marks(marked.text, marked.marks, target, links));
  }
}

TEST_CASE("mark placement: marks that no document has come back as well") {
  const std::vector<Mark> crossing = {{Kind::opens, 0, "1", 2},   {Kind::opens, 1, "2", 3},
                                      {Kind::closes, 99, "3", 0}, {Kind::closes, 5, "4", 1},
                                      {Kind::closes, 0, "5", 77}, {Kind::breaks, 1, "6", 0}};
  const MarkedText result = place_marks("a b c", crossing, "x y", {{0, 1}, {9, 9}});
  CHECK(result.marks.size() == 6);
  std::vector<Mark> deep;
  const std::size_t depth = 20'000;
  for (std::size_t i = 0; i < 2 * depth; ++i) {
    deep.push_back(
        {i < depth ? Kind::opens : Kind::closes, i < depth ? 0U : 3U, "x", 2 * depth - 1 - i});
  }
  CHECK(place_marks("dog", deep, "Hund", {{0, 0}}).marks.size() == 2 * depth);
}
