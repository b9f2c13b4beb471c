// What the splitter knows of a language: abbreviations and how each behaves, words that begin a sentence, words that
// join clauses. The lists are Kette's own, written by hand, in the files language_en.cpp and the like.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace kette::sentences {

/// What a stop behind a word means, where the next word has a capital.
enum class Stop : std::uint8_t {
  goes_on,        ///< the sentence goes on: "Dr.", "e.g.", "bzw."
  may_end,        ///< it ends only before a word of `starters`: "etc.", "U.S.", "usw."
  before_number,  ///< it goes on before a number: "No. 5"; otherwise this is a word: "No. He is not."
  ends            ///< a word like others, though it looks like an abbreviation: "Hm."
};

/// Words that behave alike, between spaces. An abbreviation in lower case also stands for itself with capitals; one with
/// a capital, or behind "=", only for what is written. Its last stop is left out, and spaces within it: "z.b" is
/// "z. B.". Behind "-" it is the end of longer words: "-str" is "Goethestr.".
struct Abbreviations {
  Stop stop;
  std::string_view words;
};

struct Language {
  Language(std::string_view language, std::initializer_list<Abbreviations> table,
           std::string_view starter_words, std::string_view conjunction_words,
           std::string_view words_before_ordinals = {});

  /// Whether numbers that count have a stop: "am 3. Mai".
  bool has_ordinals() const { return !before_ordinals.empty(); }

  std::string_view name;
  std::unordered_map<std::string_view, Stop> abbreviations, endings;
  /// In lower case. Function words, which have a capital only at the start of a sentence.
  std::unordered_set<std::string_view> starters;
  std::unordered_set<std::string_view> conjunctions;
  std::unordered_set<std::string_view> before_ordinals;  ///< "der 1000. Besucher" is no year
};

const Language& english();
const Language& german();
const Language& french();

}  // namespace kette::sentences
