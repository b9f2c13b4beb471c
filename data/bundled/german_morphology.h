// German word forms: declension of nouns, determiners, adjectives and pronouns; conjugation.
// Rules after Duden, "Die Grammatik"; each function names its rule where it applies it.
#pragma once

#include <string>

#include "data/bundled/words.h"

namespace kette::bundled::german {

/// An adjective's declension: strong without a determiner, weak after der-words, mixed after
/// ein-words.
enum class Declension { strong, weak, mixed };

/// The features that an ending agrees with; the plural does not show gender.
struct Features {
  Gender gender;
  Number number;
  Case grammatical_case;
};

std::string decline(const Noun& noun, Number number, Case grammatical_case);
std::string article(Features features);                            // der, den, dem ...
std::string der_word(const std::string& stem, Features features);  // dies-er, jed-er
std::string ein_word(const std::string& stem, Features features);  // ein, kein-e, mein-em
std::string adjective(const Adjective& word, Degree degree, Declension declension,
                      Features features);                   // klein-en
std::string compare(const Adjective& word, Degree degree);  // größer; "größt" is a stem
std::string personal_pronoun(Agreement who, Case grammatical_case);  // ich, ihn, ihr
std::string relative_pronoun(Features features);                     // der, dem, dessen
std::string possessive_stem(Agreement owner);                        // mein, dein, ihr

std::string present(const GermanVerb& verb, Agreement subject);  // without the prefix
std::string past(const GermanVerb& verb, Agreement subject);
std::string participle(const GermanVerb& verb);     // eingeladen
std::string infinitive(const GermanVerb& verb);     // einladen
std::string zu_infinitive(const GermanVerb& verb);  // einzuladen, zu lesen
std::string imperative(const GermanVerb& verb);     // lies, öffne; without the prefix

}  // namespace kette::bundled::german
