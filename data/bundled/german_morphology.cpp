#include "data/bundled/german_morphology.h"

#include <array>
#include <string_view>

namespace kette::bundled::german {
namespace {

/// One ending per case (nominative, accusative, dative, genitive) and column (masculine, feminine,
/// neuter, plural).
using Endings = std::array<std::array<const char*, 4>, 4>;

constexpr Endings kArticle = {{{"der", "die", "das", "die"},
                               {"den", "die", "das", "die"},
                               {"dem", "der", "dem", "den"},
                               {"des", "der", "des", "der"}}};
constexpr Endings kDerWord = {{{"er", "e", "es", "e"},
                               {"en", "e", "es", "e"},
                               {"em", "er", "em", "en"},
                               {"es", "er", "es", "er"}}};
constexpr Endings kEinWord = {
    {{"", "e", "", "e"}, {"en", "e", "", "e"}, {"em", "er", "em", "en"}, {"es", "er", "es", "er"}}};
// Strong adjectives end like dieser, except that the genitive already shows on the noun.
constexpr Endings kStrong = {{{"er", "e", "es", "e"},
                              {"en", "e", "es", "e"},
                              {"em", "er", "em", "en"},
                              {"en", "er", "en", "er"}}};
constexpr Endings kWeak = {{{"e", "e", "e", "en"},
                            {"en", "e", "e", "en"},
                            {"en", "en", "en", "en"},
                            {"en", "en", "en", "en"}}};
// Mixed adjectives show the ending that the ein-word lacks: ein klein-er, ein klein-es.
constexpr Endings kMixed = {{{"er", "e", "es", "en"},
                             {"en", "e", "es", "en"},
                             {"en", "en", "en", "en"},
                             {"en", "en", "en", "en"}}};
// The relative pronoun is the article, but longer in the genitive and the dative plural.
constexpr Endings kRelative = {{{"der", "die", "das", "die"},
                                {"den", "die", "das", "die"},
                                {"dem", "der", "dem", "denen"},
                                {"dessen", "deren", "dessen", "deren"}}};

const char* at(const Endings& endings, Features features) {
  const std::size_t column =
      features.number == Number::plural ? 3 : static_cast<std::size_t>(features.gender);
  return endings[static_cast<std::size_t>(features.grammatical_case)][column];
}

bool ends_with(std::string_view word, std::string_view ending) {
  return word.size() >= ending.size() && word.substr(word.size() - ending.size()) == ending;
}

bool ends_with_any(std::string_view word, std::initializer_list<std::string_view> endings) {
  for (const std::string_view ending : endings) {
    if (ends_with(word, ending)) return true;
  }
  return false;
}

bool starts_with_any(std::string_view word, std::initializer_list<std::string_view> starts) {
  for (const std::string_view start : starts) {
    if (word.substr(0, start.size()) == start) return true;
  }
  return false;
}

std::string without_last(std::string word, std::size_t bytes) {
  word.resize(word.size() - bytes);
  return word;
}

/// lesen: les-, füttern: fütter-.
std::string stem(const std::string& infinitive) {
  return without_last(infinitive, ends_with(infinitive, "ern") ? 1 : 2);
}

/// A stem in -t, -d or consonant + n needs an e before -t and -st: arbeit-e-t, öffn-e-t.
std::string linking_e(const std::string& stem) {
  return ends_with_any(stem, {"t", "d", "ffn", "chn"}) ? "e" : "";
}

std::string er_form(const GermanVerb& verb) {
  if (!verb.er.empty()) return verb.er;
  const std::string root = stem(verb.infinitive);
  return root + linking_e(root) + "t";
}

/// Modals, wissen and mögen conjugate in the present like a past: ich kann, er kann.
bool preterite_present(const GermanVerb& verb) { return !ends_with(er_form(verb), "t"); }

/// After s, ß, z the ending -st loses its s: du liest, du tanzt, du musst.
std::string with_st(const std::string& root) {
  return root + (ends_with_any(root, {"s", "ß", "z"}) ? "t" : "st");
}

}  // namespace

std::string decline(const Noun& noun, Number number, Case grammatical_case) {
  if (noun.genitive.empty()) return noun.german;
  if (number == Number::plural) {
    // The dative plural ends in -n unless the plural already ends in -n or -s.
    const bool adds_n =
        grammatical_case == Case::dative && !ends_with_any(noun.german_plural, {"n", "s"});
    return noun.german_plural + (adds_n ? "n" : "");
  }
  if (grammatical_case == Case::genitive) return noun.genitive;
  // Weak masculines end in -n in every case but the nominative: der Junge, den Jungen.
  const bool weak = noun.gender == Gender::masculine && ends_with(noun.genitive, "n");
  return weak && grammatical_case != Case::nominative ? noun.genitive : noun.german;
}

std::string article(Features features) { return at(kArticle, features); }

std::string der_word(const std::string& stem, Features features) {
  return stem + at(kDerWord, features);
}

std::string ein_word(const std::string& stem, Features features) {
  return stem + at(kEinWord, features);
}

std::string compare(const Adjective& word, Degree degree) {
  switch (degree) {
    case Degree::positive:
      return word.german;
    case Degree::comparative:
      return word.comparative.empty() ? word.german + "er" : word.comparative;
    case Degree::superlative:
      break;
  }
  if (!word.superlative.empty()) return word.superlative;
  return word.german + (ends_with_any(word.german, {"t", "d", "s", "ß", "z"}) ? "est" : "st");
}

std::string adjective(const Adjective& word, Degree degree, Declension declension,
                      Features features) {
  const bool special = degree == Degree::positive && !word.stem.empty();
  const Endings& endings = declension == Declension::strong ? kStrong
                           : declension == Declension::weak ? kWeak
                                                            : kMixed;
  return (special ? word.stem : compare(word, degree)) + at(endings, features);
}

std::string personal_pronoun(Agreement who, Case grammatical_case) {
  // Nominative, accusative, dative; the genitive of pronouns is not used.
  using Row = std::array<const char*, 3>;
  static constexpr Row ich = {"ich", "mich", "mir"}, du = {"du", "dich", "dir"},
                       wir = {"wir", "uns", "uns"}, sie_plural = {"sie", "sie", "ihnen"},
                       er = {"er", "ihn", "ihm"}, sie = {"sie", "sie", "ihr"},
                       es = {"es", "es", "ihm"};
  const bool plural = who.number == Number::plural;
  const Row& row = who.person == Person::first       ? (plural ? wir : ich)
                   : who.person == Person::second    ? du
                   : plural                          ? sie_plural
                   : who.gender == Gender::masculine ? er
                   : who.gender == Gender::feminine  ? sie
                                                     : es;
  return row.at(static_cast<std::size_t>(grammatical_case));
}

std::string relative_pronoun(Features features) { return at(kRelative, features); }

std::string possessive_stem(Agreement owner) {
  const bool plural = owner.number == Number::plural;
  if (owner.person == Person::first) return plural ? "unser" : "mein";
  if (owner.person == Person::second) return "dein";
  return plural || owner.gender == Gender::feminine ? "ihr" : "sein";
}

std::string present(const GermanVerb& verb, Agreement subject) {
  if (subject.number == Number::plural) return verb.infinitive == "sein" ? "sind" : verb.infinitive;
  const std::string er = er_form(verb);
  switch (subject.person) {
    case Person::first:
      if (!verb.ich.empty()) return verb.ich;
      return preterite_present(verb) ? er : stem(verb.infinitive) + "e";
    case Person::second:
      if (!verb.du.empty()) return verb.du;
      // The second person shares the vowel of the third: er liest, du liest.
      return with_st(preterite_present(verb) ? er : without_last(er, 1));
    case Person::third:
      break;
  }
  return er;
}

std::string past(const GermanVerb& verb, Agreement subject) {
  const std::string root = stem(verb.infinitive);
  // Weak verbs add -te, strong ones (listed) change their vowel.
  const std::string er = verb.past.empty() ? root + linking_e(root) + "te" : verb.past;
  if (subject.number == Number::plural) return er + (ends_with(er, "e") ? "n" : "en");
  return subject.person == Person::second ? with_st(er) : er;
}

std::string participle(const GermanVerb& verb) {
  if (!verb.participle.empty()) return verb.prefix + verb.participle;
  const std::string root = stem(verb.infinitive);
  // Verbs in -ieren and with an unstressed prefix take no ge-: repariert, besucht.
  const bool no_ge =
      ends_with(verb.infinitive, "ieren") || starts_with_any(verb.infinitive, {"be", "ver", "er"});
  return verb.prefix + (no_ge ? "" : "ge") + root + linking_e(root) + "t";
}

std::string infinitive(const GermanVerb& verb) { return verb.prefix + verb.infinitive; }

std::string zu_infinitive(const GermanVerb& verb) {
  // A separable prefix takes zu into the word: einzuladen.
  return verb.prefix.empty() ? "zu " + verb.infinitive : verb.prefix + "zu" + verb.infinitive;
}

std::string imperative(const GermanVerb& verb) {
  const std::string root = stem(verb.infinitive);
  const std::string er = er_form(verb);
  // Verbs that change e to i keep it and take no ending: lies, nimm, gib.
  const bool changes_to_i = root.find('e') != std::string::npos &&
                            er.find('i') != std::string::npos &&
                            root.find('i') == std::string::npos;
  if (changes_to_i) return without_last(er, 1);
  // Weak verbs end in -e, strong ones need not: kaufe, öffne; geh, komm, but lade.
  const bool weak = verb.past.empty();
  return root + (weak || !linking_e(root).empty() ? "e" : "");
}

}  // namespace kette::bundled::german
