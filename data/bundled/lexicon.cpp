#include "data/bundled/lexicon.h"

#include <algorithm>

#include "data/bundled/word_table.h"
#include "tensor/error.h"

namespace kette::bundled {
namespace {

template <class Value>
using Name = std::pair<std::string_view, Value>;

const std::vector<Name<Kinds>>& kinds() {
  static const auto names = [] {
    std::vector<Name<Kinds>> all = {
        {"person", kind::person},
        {"portable", kind::portable},
        {"furniture", kind::furniture},
        {"goods", kind::goods},
        {"wares", kind::clothing | kind::portable | kind::vehicle | kind::furniture},
        {"place", kind::place},
        {"thing", kind::thing},
        {"any", kind::any}};
    Kinds bit = 1;
    for (const std::string_view word : split_at(' ', kind::kNames)) {
      all.emplace_back(word, bit);
      bit <<= 1;
    }
    return all;
  }();
  return names;
}

namespace trait_names {
using namespace trait;
constexpr Name<unsigned> kAll[] = {
    {"stative", stative}, {"lasting", lasting}, {"voice", voice}, {"pace", pace},      {"at", at},
    {"company", company}, {"gift", gift},       {"gets", gets},   {"to_only", to_only}};
}  // namespace trait_names

constexpr Name<Gender> kGenders[] = {
    {"m", Gender::masculine}, {"f", Gender::feminine}, {"n", Gender::neuter}};
constexpr Name<Case> kCases[] = {{"accusative", Case::accusative}, {"dative", Case::dative}};
constexpr Name<Auxiliary> kAuxiliaries[] = {{"", Auxiliary::haben}, {"sein", Auxiliary::sein}};
constexpr Name<Frame> kFrames[] = {{"intransitive", Frame::intransitive},
                                   {"accusative", Frame::accusative},
                                   {"dative", Frame::dative},
                                   {"ditransitive", Frame::ditransitive},
                                   {"prepositional", Frame::prepositional},
                                   {"locative", Frame::locative},
                                   {"directional", Frame::directional},
                                   {"causative", Frame::causative},
                                   {"copula", Frame::copula}};

const std::vector<Preposition>& prepositions() {
  static const auto table = [] {
    std::vector<Preposition> all;
    for (const WordRow& row : read_words(prepositions_tsv, "prepositions.tsv")) {
      all.push_back({row["english"], row["german"], row.named("case", kCases)});
    }
    return all;
  }();
  return table;
}

/// The preposition of a verb, given as "of/von".
const Preposition* preposition_of(const std::string& both) {
  if (both.empty()) return nullptr;
  for (const Preposition& row : prepositions()) {
    if (row.english + "/" + row.german == both) return &row;
  }
  fail("verbs.tsv: expected a preposition of prepositions.tsv, given ", both);
}

EnglishVerb english_verb(const WordRow& row) {
  return {row["english"], row["past"], row["participle"], row["particle"]};
}

/// The verbs of one list of verbs.tsv.
std::vector<Verb> verbs_of(std::string_view list) {
  static const std::vector<WordRow> rows = read_words(verbs_tsv, "verbs.tsv");
  std::vector<Verb> verbs;
  for (const WordRow& row : rows) {
    if (row["list"] != list) continue;
    const GermanVerb german = {row["german"],      row["er"],
                               row["german_past"], row["german_participle"],
                               row["prefix"],      row.named("auxiliary", kAuxiliaries),
                               row["ich"],         row["du"]};
    verbs.push_back({english_verb(row), german, row.named("frame", kFrames),
                     row.all_named("subjects", kinds()), row.all_named("objects", kinds()),
                     row.all_named("traits", trait_names::kAll),
                     preposition_of(row["preposition"])});
  }
  return verbs;
}

template <class Row, class Name>
const Row& find(const std::vector<Row>& table, std::string_view english, Name name) {
  for (const Row& row : table) {
    if (name(row) == english) return row;
  }
  fail("lexicon: expected a word of the bundled corpus, given \"", english, "\"");
}

std::string with_particle(const EnglishVerb& verb) {
  return verb.particle.empty() ? verb.base : verb.base + " " + verb.particle;
}

}  // namespace

std::vector<Noun> read_nouns(std::string_view text, const std::string& file) {
  std::vector<Noun> all;
  for (const WordRow& row : read_words(text, file)) {
    all.push_back({row["singular"], row["plural"], row.named("gender", kGenders), row["german"],
                   row["genitive"], row["german_plural"], row.all_named("kinds", kinds())});
  }
  return all;
}

const std::vector<Noun>& nouns() {
  static const std::vector<Noun> table = read_nouns(nouns_tsv, "nouns.tsv");
  return table;
}

const std::vector<Adjective>& adjectives() {
  static const auto table = [] {
    std::vector<Adjective> all;
    for (const WordRow& row : read_words(adjectives_tsv, "adjectives.tsv")) {
      all.push_back({row["english"], row["german"], row.all_named("kinds", kinds()),
                     row.is("gradable"), row["stem"], row["comparative"], row["superlative"]});
    }
    return all;
  }();
  return table;
}

const std::vector<Verb>& verbs() {
  static const std::vector<Verb> table = verbs_of("verb");
  return table;
}

const Verb& verb_be() {
  static const Verb row = verbs_of("be").at(0);
  return row;
}

const Verb& verb_know() {
  static const Verb row = verbs_of("know").at(0);
  return row;
}

const Verb& verb_ask() {
  static const Verb row = verbs_of("ask").at(0);
  return row;
}

const std::vector<Verb>& reporting_verbs() {
  static const auto table = [] {
    std::vector<Verb> all = verbs_of("reporting");
    all.push_back(verb_know());
    return all;
  }();
  return table;
}

const std::vector<Verb>& infinitive_verbs() {
  static const std::vector<Verb> table = verbs_of("infinitive");
  return table;
}

const GermanVerb& haben() { return verb("have").german; }
const GermanVerb& sein() { return verb_be().german; }
const GermanVerb& werden() {
  static const GermanVerb row = verbs_of("become").at(0).german;
  return row;
}

const std::vector<Modal>& modals() {
  static const auto table = [] {
    std::vector<Modal> all;
    for (const WordRow& row : read_words(modals_tsv, "modals.tsv")) {
      all.push_back({english_verb(row),
                     {row["german"], row["er"], row["german_past"]},
                     row.is("may_be_negated"),
                     row.is("has_past"),
                     row.is("subjunctive")});
    }
    return all;
  }();
  return table;
}

const std::vector<Adverb>& phrases(const std::string& list) {
  static const auto lists = [] {
    std::map<std::string, std::vector<Adverb>> all;
    for (const WordRow& row : read_words(phrases_tsv, "phrases.tsv")) {
      all[row["list"]].push_back({row["english"], row["german"]});
    }
    return all;
  }();
  const auto found = lists.find(list);
  KETTE_CHECK(found != lists.end(), "phrases.tsv: expected the list ", list, ", given none of it");
  return found->second;
}

std::string english_number(int count) {
  const std::vector<Adverb>& words = phrases("numbers");
  return count < std::ssize(words) ? words[count].english : std::to_string(count);
}

std::string german_number(int count) {
  const std::vector<Adverb>& words = phrases("numbers");
  return count < std::ssize(words) ? words[count].german : std::to_string(count);
}

const Preposition& preposition(std::string_view english, Case governs) {
  for (const Preposition& row : prepositions()) {
    if (row.english == english && row.governs == governs) return row;
  }
  fail("preposition: expected a preposition of the lexicon, given ", english);
}

const Noun& noun(std::string_view english) {
  return find(nouns(), english, [](const Noun& row) { return row.singular; });
}

const Adjective& adjective(std::string_view english) {
  return find(adjectives(), english, [](const Adjective& row) { return row.english; });
}

const Verb& verb(std::string_view english) {
  return find(verbs(), english, [](const Verb& row) {
    const std::string name = with_particle(row.english);
    return row.preposition ? name + " " + row.preposition->english : name;
  });
}

const Modal& modal(std::string_view english) {
  return find(modals(), english, [](const Modal& row) { return with_particle(row.english); });
}

}  // namespace kette::bundled
