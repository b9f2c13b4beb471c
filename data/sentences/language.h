// The splitter's data for a language: abbreviations and their behaviour, words that begin a
// sentence, words that join clauses. The lists are Kette's own, written by hand (language_en.cpp
// and the like).
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace kette::sentences {

/// The meaning of a stop after a word, if the next word has a capital.
enum class Stop : std::uint8_t {
  goes_on,        ///< the sentence goes on: "Dr.", "e.g.", "bzw."
  may_end,        ///< ends only before a word in `starters`: "etc.", "U.S.", "usw."
  before_number,  ///< goes on before a number: "No. 5"; else a word: "No. He is not."
  ends            ///< a normal word that looks like an abbreviation: "Hm."
};

/// Words with the same behaviour, separated by spaces. A lower-case entry also matches with
/// capitals; one with a capital, or after "=", matches exactly. Entries omit the last stop and
/// inner spaces: "z.b" is "z. B.". After "-" an entry is the end of longer words: "-str" matches
/// "Goethestr.".
struct Abbreviations {
  Stop stop;
  std::string_view words;
};

struct Language {
  Language(std::string_view language, std::initializer_list<Abbreviations> table,
           std::string_view starter_words, std::string_view conjunction_words,
           std::string_view words_before_ordinals = {});

  /// Whether ordinals have a stop: "am 3. Mai".
  bool has_ordinals() const { return !before_ordinals.empty(); }

  std::string_view name;
  std::unordered_map<std::string_view, Stop> abbreviations, endings;
  /// Lower case. Function words, which have a capital only at the start of a sentence.
  std::unordered_set<std::string_view> starters;
  std::unordered_set<std::string_view> conjunctions;
  std::unordered_set<std::string_view> before_ordinals;  ///< "der 1000. Besucher" is not a year
};

const Language& english();
const Language& german();
const Language& french();

}  // namespace kette::sentences
