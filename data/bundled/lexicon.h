// The lexicon: about 330 English lemmas with their one German rendering each.
// The tables are nouns.tsv, adjectives.tsv, verbs.tsv, modals.tsv, prepositions.tsv and
// phrases.tsv.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "data/bundled/words.h"

namespace kette::bundled {

const std::vector<Noun>& nouns();
const std::vector<Adjective>& adjectives();
const std::vector<Verb>& verbs();
const std::vector<Modal>& modals();

/// Reads a file such as nouns.tsv. An Error has file, line and column.
std::vector<Noun> read_nouns(std::string_view text, const std::string& file);

/// Ready-made phrases of one list of phrases.tsv.
const std::vector<Adverb>& phrases(const std::string& list);
// By their tense or their place in the sentence:
inline const auto& present_times() { return phrases("present_times"); }
inline const auto& past_times() { return phrases("past_times"); }
inline const auto& future_times() { return phrases("future_times"); }
inline const auto& circumstances() { return phrases("circumstances"); }  // after work
inline const auto& frequencies() { return phrases("frequencies"); }      // often: before the verb
inline const auto& completions() { return phrases("completions"); }  // never: before the participle
inline const auto& voices() { return phrases("voices"); }            // loudly
inline const auto& paces() { return phrases("paces"); }              // slowly

// Verbs with their own rules in the grammar.
const Verb& verb_be();
const Verb& verb_know();                      // that, whether: wissen
const Verb& verb_ask();                       // whether
const std::vector<Verb>& reporting_verbs();   // says that
const std::vector<Verb>& infinitive_verbs();  // tries to

// Auxiliaries for the tenses of all other verbs.
const GermanVerb& haben();
const GermanVerb& sein();
const GermanVerb& werden();

/// "seven", "sieben" up to twelve, digits in both languages above.
std::string english_number(int count);
std::string german_number(int count);

/// A preposition by its English word. If one word means both place and goal, the case differs: "on"
/// with the dative says where, with the accusative where to.
const Preposition& preposition(std::string_view english, Case governs);

/// Rows by their English word, for fixed phrases and tests. Throws an Error for an unknown word.
const Noun& noun(std::string_view english);
const Adjective& adjective(std::string_view english);
const Verb& verb(std::string_view english);  // with its particle: "turn on"
const Modal& modal(std::string_view english);

}  // namespace kette::bundled
