// The lexicon: about 330 English lemmas with their one German rendering each.
// Tables live in nouns.cpp, adjectives.cpp, verbs.cpp and small_words.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "data/bundled/words.h"

namespace kette::bundled {

const std::vector<Noun>& nouns();
const std::vector<Adjective>& adjectives();
const std::vector<Verb>& verbs();
std::vector<Verb> accusative_verbs();  // the part of verbs() in verbs_accusative.cpp
const std::vector<Modal>& modals();

// Ready-made phrases, by the tense or place in the sentence they go with.
const std::vector<Adverb>& present_times();
const std::vector<Adverb>& past_times();
const std::vector<Adverb>& future_times();
const std::vector<Adverb>& circumstances();  // after work, because of the rain
const std::vector<Adverb>& frequencies();    // often, always: before the verb
const std::vector<Adverb>& completions();    // already, never: between auxiliary and participle
const std::vector<Adverb>& voices();         // loudly
const std::vector<Adverb>& paces();          // slowly

// Verbs with a part of their own in the grammar.
const Verb& verb_be();
const Verb& verb_know();                      // that, whether: wissen
const Verb& verb_ask();                       // whether
const std::vector<Verb>& reporting_verbs();   // says that
const std::vector<Verb>& infinitive_verbs();  // tries to

// Forms that carry the tenses of all other verbs.
const GermanVerb& haben();
const GermanVerb& sein();
const GermanVerb& werden();

/// "seven", "sieben" up to twelve, digits in both languages above.
std::string english_number(int count);
std::string german_number(int count);

/// The prepositions, by their English word; where one English word serves both, place and goal
/// differ by case: "on" with the dative says where, with the accusative where to.
const Preposition& preposition(std::string_view english, Case governs);

/// Rows by their English word, for fixed phrases and for tests. Throws Error for an unknown word.
const Noun& noun(std::string_view english);
const Adjective& adjective(std::string_view english);
const Verb& verb(std::string_view english);  // with its particle: "turn on"
const Modal& modal(std::string_view english);

}  // namespace kette::bundled
