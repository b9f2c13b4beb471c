// English word forms: the regular rules; the lexicon lists the rest.
#pragma once

#include <string>

#include "data/bundled/words.h"

namespace kette::bundled::english {

std::string present(const EnglishVerb& verb, Agreement subject);  // reads, carries, goes
std::string past(const EnglishVerb& verb, Agreement subject);     // washed, carried, read
std::string participle(const EnglishVerb& verb);
std::string progressive(const EnglishVerb& verb);  // reading, lying, swimming

/// Short adjectives take an ending (big, bigger, biggest), long ones a word (more beautiful).
std::string compare(const std::string& adjective, Degree degree);

/// "an" before a vowel: an egg, an old man.
std::string indefinite_article(const std::string& next_word);

}  // namespace kette::bundled::english
