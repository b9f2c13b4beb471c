// Modals, prepositions, numbers and the phrases that both languages hold ready-made.
#include <array>
#include <vector>

#include "data/bundled/lexicon.h"
#include "tensor/error.h"

namespace kette::bundled {

const std::vector<Modal>& modals() {
  static const std::vector<Modal> table = {
      {{"can", "could"}, {"können", "kann", "konnte"}, true, true},
      {{"must"}, {"müssen", "muss", "musste"}, false, false},
      {{"should"}, {"sollen", "soll", "sollte"}, true, false, true},
      {{"may"}, {"dürfen", "darf", "durfte"}, true, false},
      {{"want", "wanted", "wanted", "to"}, {"wollen", "will", "wollte"}, true, true},
      {{"have", "had", "had", "to"}, {"müssen", "muss", "musste"}, true, true},
  };
  return table;
}

const std::vector<Adverb>& present_times() {
  static const std::vector<Adverb> table = {
      {"today", "heute"},
      {"now", "jetzt"},
      {"every day", "jeden Tag"},
      {"every morning", "jeden Morgen"},
      {"every week", "jede Woche"},
      {"in the evening", "am Abend"},
      {"in the morning", "am Morgen"},
      {"in summer", "im Sommer"},
      {"in winter", "im Winter"},
      {"on Monday", "am Montag"},
      {"on Friday", "am Freitag"},
      {"on Sunday", "am Sonntag"},
      {"at seven o'clock", "um sieben Uhr"},
      {"at eight o'clock", "um acht Uhr"},
      {"at ten o'clock", "um zehn Uhr"},
  };
  return table;
}

const std::vector<Adverb>& past_times() {
  static const std::vector<Adverb> table = {
      {"yesterday", "gestern"},          {"last week", "letzte Woche"},
      {"last year", "letztes Jahr"},     {"last summer", "letzten Sommer"},
      {"a week ago", "vor einer Woche"}, {"two days ago", "vor zwei Tagen"},
  };
  return table;
}

const std::vector<Adverb>& future_times() {
  static const std::vector<Adverb> table = {
      {"tomorrow", "morgen"},
      {"soon", "bald"},
      {"tonight", "heute Abend"},
      {"next week", "nächste Woche"},
      {"in three days", "in drei Tagen"},
  };
  return table;
}

const std::vector<Adverb>& circumstances() {
  static const std::vector<Adverb> table = {
      {"after work", "nach der Arbeit"},
      {"before dinner", "vor dem Abendessen"},
      {"during the break", "während der Pause"},
      {"because of the rain", "wegen des Regens"},
      {"because of the weather", "wegen des Wetters"},
      {"in spite of the rain", "trotz des Regens"},
  };
  return table;
}

const std::vector<Adverb>& frequencies() {
  static const std::vector<Adverb> table = {
      {"often", "oft"}, {"always", "immer"}, {"sometimes", "manchmal"}, {"usually", "meistens"}};
  return table;
}

const std::vector<Adverb>& completions() {
  static const std::vector<Adverb> table = {{"already", "schon"}, {"never", "nie"}};
  return table;
}

const std::vector<Adverb>& voices() {
  static const std::vector<Adverb> table = {{"loudly", "laut"}, {"quietly", "leise"}};
  return table;
}

const std::vector<Adverb>& paces() {
  static const std::vector<Adverb> table = {{"slowly", "langsam"}, {"quickly", "schnell"}};
  return table;
}

namespace {

struct NumberWord {
  const char* english;
  const char* german;
};

constexpr std::array<NumberWord, 13> kNumberWords = {{
    {"zero", "null"},
    {"one", "eins"},
    {"two", "zwei"},
    {"three", "drei"},
    {"four", "vier"},
    {"five", "fünf"},
    {"six", "sechs"},
    {"seven", "sieben"},
    {"eight", "acht"},
    {"nine", "neun"},
    {"ten", "zehn"},
    {"eleven", "elf"},
    {"twelve", "zwölf"},
}};

}  // namespace

std::string english_number(int count) {
  return count <= 12 ? kNumberWords.at(static_cast<std::size_t>(count)).english
                     : std::to_string(count);
}

std::string german_number(int count) {
  return count <= 12 ? kNumberWords.at(static_cast<std::size_t>(count)).german
                     : std::to_string(count);
}

const Preposition& preposition(std::string_view english, Case governs) {
  constexpr Case acc = Case::accusative, dat = Case::dative;
  static const std::vector<Preposition> table = {
      // Two-way: where
      {"in", "in", dat},
      {"on", "auf", dat},
      {"under", "unter", dat},
      {"behind", "hinter", dat},
      {"next to", "neben", dat},
      {"in front of", "vor", dat},
      // Two-way: where to
      {"into", "in", acc},
      {"onto", "auf", acc},
      {"on", "auf", acc},
      {"under", "unter", acc},
      {"behind", "hinter", acc},
      {"next to", "neben", acc},
      // Always the dative
      {"with", "mit", dat},
      {"to", "zu", dat},
      {"by", "von", dat},
      // Always the accusative
      {"for", "für", acc},
      {"without", "ohne", acc},
      {"through", "durch", acc},
  };
  for (const Preposition& row : table) {
    if (row.english == english && row.governs == governs) return row;
  }
  fail("preposition: expected a preposition of the lexicon, given ", english);
}

}  // namespace kette::bundled
