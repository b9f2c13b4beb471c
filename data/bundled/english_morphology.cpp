#include "data/bundled/english_morphology.h"

#include <algorithm>
#include <string_view>

namespace kette::bundled::english {
namespace {

bool vowel(char letter) { return std::string_view("aeiou").find(letter) != std::string_view::npos; }

bool ends_with(const std::string& word, std::string_view ending) {
  return word.size() >= ending.size() &&
         word.compare(word.size() - ending.size(), ending.size(), ending) == 0;
}

/// Groups of vowels, a silent final e not counted: "brave" 1, "polite" 2, "beautiful" 3.
int syllables(const std::string& word) {
  int count = 0;
  bool inside = false;
  for (std::size_t i = 0; i < word.size(); ++i) {
    const bool silent = i + 1 == word.size() && word[i] == 'e';
    const bool sounded = vowel(word[i]) && !silent;
    if (sounded && !inside) ++count;
    inside = sounded;
  }
  return count;
}

/// One syllable ending consonant, vowel, consonant doubles the last: big-g-er, swim-m-ing.
bool doubles(const std::string& word) {
  const std::size_t n = word.size();
  return n >= 3 && syllables(word) == 1 && !vowel(word[n - 1]) && vowel(word[n - 2]) &&
         !vowel(word[n - 3]) && std::string_view("wxy").find(word[n - 1]) == std::string_view::npos;
}

/// The word ready for an ending that starts with a vowel: car-ri-ed, bak-ed, big-g-er.
std::string before_vowel(std::string word, char ending) {
  if (ends_with(word, "y") && !vowel(word[word.size() - 2]) && ending != 'i') word.back() = 'i';
  if (doubles(word)) return word + word.back();
  if (ends_with(word, "e")) word.pop_back();
  return word;
}

std::string regular_past(const std::string& base) {
  const bool silent_e = ends_with(base, "e");
  return silent_e ? base + "d" : before_vowel(base, 'e') + "ed";
}

}  // namespace

std::string present(const EnglishVerb& verb, Agreement subject) {
  const bool third = subject.person == Person::third && subject.number == Number::singular;
  if (verb.base == "be") {
    if (third) return "is";
    const bool am = subject.person == Person::first && subject.number == Number::singular;
    return am ? "am" : "are";
  }
  if (!third) return verb.base;
  if (verb.base == "have") return "has";
  const std::string& base = verb.base;
  if (ends_with(base, "y") && !vowel(base[base.size() - 2])) {
    return base.substr(0, base.size() - 1) + "ies";
  }
  const bool hisses = ends_with(base, "s") || ends_with(base, "x") || ends_with(base, "sh") ||
                      ends_with(base, "ch") || ends_with(base, "o");
  return base + (hisses ? "es" : "s");
}

std::string past(const EnglishVerb& verb, Agreement subject) {
  if (verb.base == "be") {
    return subject.number == Number::singular && subject.person != Person::second ? "was" : "were";
  }
  return verb.past.empty() ? regular_past(verb.base) : verb.past;
}

std::string participle(const EnglishVerb& verb) {
  return verb.participle.empty() ? regular_past(verb.base) : verb.participle;
}

std::string progressive(const EnglishVerb& verb) {
  const std::string& base = verb.base;
  if (ends_with(base, "ie")) return base.substr(0, base.size() - 2) + "ying";
  return (ends_with(base, "ee") ? base : before_vowel(base, 'i')) + "ing";
}

std::string compare(const std::string& adjective, Degree degree) {
  if (degree == Degree::positive) return adjective;
  const bool higher = degree == Degree::comparative;
  if (syllables(adjective) > 1 || ends_with(adjective, "ful")) {
    if (!ends_with(adjective, "y")) return (higher ? "more " : "most ") + adjective;
  }
  return before_vowel(adjective, 'e') + (higher ? "er" : "est");
}

std::string indefinite_article(const std::string& next_word) {
  return vowel(next_word.front()) ? "an" : "a";
}

}  // namespace kette::bundled::english
