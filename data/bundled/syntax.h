// The abstract sentence behind both languages. A Clause says who does what to whom, when and how;
// in_german() and in_english() order its words by their own rules. The rest of the grammar only
// chooses and joins clauses.
//
// German fields:  front | finite verb | middle field | verb bracket      (main clause: verb second)
//                         conjunction | middle field | bracket + finite  (subordinate: verb last)
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "data/bundled/words.h"

namespace kette::bundled {

enum class Determiner {
  none,
  definite,
  indefinite,
  negative,       // no, kein
  demonstrative,  // this, dieser
  every,
  which,
  possessive,
  some,
  many,
  number,
  how_many,
  whose,           // wessen Hund?
  relative_whose,  // der Mann, dessen Hund
};

struct Clause;

struct NounPhrase {
  enum class Head { noun, personal, interrogative, relative, understood };

  Head head = Head::noun;
  const Noun* noun = nullptr;
  Determiner determiner = Determiner::definite;
  Number number = Number::singular;
  Agreement who{};       // of a pronoun; or the owner behind a possessive
  bool animate = false;  // of a pronoun: who or what, who or that
  const Adjective* adjective = nullptr;
  Degree degree = Degree::positive;
  int count = 0;                                // with Determiner::number
  std::shared_ptr<const NounPhrase> owner{};    // the man's dog: genitive
  std::shared_ptr<const NounPhrase> partner{};  // the man and the woman
  std::shared_ptr<const Clause> relative{};

  bool pronoun() const { return head == Head::personal; }
  /// A lamp, lamps, milk: what "kein" negates.
  bool indefinite() const {
    return head == Head::noun && !noun->is(kind::name | kind::city) &&
           (determiner == Determiner::none || determiner == Determiner::indefinite);
  }
  /// Who, what, which dog, how many dogs.
  bool interrogates() const {
    return head == Head::interrogative || determiner == Determiner::which ||
           determiner == Determiner::how_many || determiner == Determiner::whose;
  }
  /// A lamp, three lamps, many lamps: new to the listener, so late in the German middle field.
  bool new_to_listener() const {
    return indefinite() || determiner == Determiner::number || determiner == Determiner::many ||
           determiner == Determiner::some;
  }
};

Agreement agreement(const NounPhrase& phrase);

struct PrepositionPhrase {
  const Preposition* preposition = nullptr;
  NounPhrase object{};
};

/// is tired, is bigger than the dog, is as big as the dog, is a good doctor, is the biggest dog
struct Predicate {
  const Adjective* adjective = nullptr;
  Degree degree = Degree::positive;
  std::optional<NounPhrase> noun{};
  std::optional<NounPhrase> compared_to{};
  std::string english_measure{}, german_measure{};  // is [eight years] old
};

/// The part of a clause that may stand at its front.
enum class Slot { subject, direct, indirect, oblique, time, question };

struct Clause {
  NounPhrase subject{};
  const Verb* verb = nullptr;
  std::optional<NounPhrase> direct{}, indirect{};
  bool to_dative = false;                      // English: gives the book to the man
  std::optional<PrepositionPhrase> oblique{};  // the verb's place, goal or prepositional object
  std::optional<PrepositionPhrase> company{};  // with a friend, for a child, by the painter
  std::optional<Predicate> predicate{};
  const Adverb* time = nullptr;
  const Adverb* frequency = nullptr;
  const Adverb* completion = nullptr;
  const Adverb* manner = nullptr;
  const Adverb* question = nullptr;  // where, when, why
  bool gladly = false;               // likes to read, liest gern
  Tense tense = Tense::present;
  const Modal* modal = nullptr;
  bool negated = false;
  bool passive = false;
  Slot front = Slot::subject;
};

/// Verb second: statements, wh-questions. First: yes/no questions, and main clauses behind a
/// subordinate one. Last: subordinate clauses. Imperative and infinitive (with zu): no subject.
enum class Order { second, first, last, imperative, infinitive };

// All of these carry the marks of marks.h.
std::string in_german(const NounPhrase& phrase, Case grammatical_case);
/// With another determiner; with_relative: whether to add what follows the noun.
std::string in_german(const NounPhrase& phrase, Case grammatical_case, Determiner determiner,
                      bool with_relative = true);
std::string in_german(const PrepositionPhrase& phrase);
std::string in_german(const Clause& clause, Order order);

enum class Form { statement, question, imperative, infinitive };

enum class Function { subject, object };

std::string in_english(const NounPhrase& phrase, Function function);
std::string in_english(const PrepositionPhrase& phrase);
std::string in_english(const Clause& clause, Form form);

/// Joins the words with single spaces; skips empty ones.
std::string join(const std::vector<std::string>& words);

}  // namespace kette::bundled
