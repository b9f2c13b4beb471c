// Chooses the words of a clause so that it makes sense: verbs take subjects and objects of the
// kinds the lexicon names, adjectives fit their nouns, owners own things. It records the pairs of
// content words ("read+book") of a sentence's clauses, which decide the split.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "data/bundled/random.h"
#include "data/bundled/syntax.h"

namespace kette::bundled {

/// A caller's constraints on a clause; the rest is sampled.
struct Wish {
  std::optional<NounPhrase> subject{};
  const Verb* verb = nullptr;
  std::optional<Tense> tense{};
  const Modal* modal = nullptr;
  bool may_negate = true;
  bool may_have_time = true;
  bool may_front_time = true;
  bool may_be_me = true;  // nobody asks "Do I sleep?"
  bool plain = false;     // no adjectives, company, circumstances: for the parts of long sentences
};

class Sampler {
 public:
  explicit Sampler(std::uint64_t seed) : random_(seed) {}

  Random& random() { return random_; }
  const std::vector<std::string>& combinations() const { return combinations_; }
  /// Records the combinations of a clause: verb and nouns, adjective and noun.
  void note(const Clause& clause);
  /// Records one, for a noun that is only a pronoun in the clause.
  void note(const Verb& verb, const NounPhrase& phrase);
  void note(const Adjective& adjective, const NounPhrase& phrase);

  const Noun& noun(Kinds kinds, Kinds except = 0);
  /// A verb of one of `frames` that takes these subjects and objects and for which fits() is true.
  const Verb& verb(Kinds subjects, const std::vector<Frame>& frames, Kinds objects = kind::any,
                   const std::function<bool(const Verb&)>& fits = {});
  const Adjective& adjective(Kinds kinds, bool gradable = false, Kinds marked = kind::any);

  NounPhrase person(bool plain = false);  // a pronoun, a name, one or two people, as a subject
  NounPhrase antecedent();                // one person or several, clearly he, she or they
  NounPhrase subject_of(const Verb& verb, bool plain = false);
  /// An object of the verb; `owner` is its subject, for "his".
  NounPhrase object(Kinds kinds, const NounPhrase& owner, bool plain = false);
  NounPhrase definite(Kinds kinds, bool plain = false, Kinds except = 0);

  Clause clause(const Wish& wish = {});
  /// Fills the objects that the verb's frame requires.
  void complete(Clause& clause, bool plain);
  void choose_tense(Clause& clause, const Wish& wish);

 private:
  void note(const NounPhrase& phrase);
  void describe(NounPhrase& phrase, unsigned percent);
  NounPhrase object_pronoun(const NounPhrase& owner);
  PrepositionPhrase place(const Verb& verb);
  PrepositionPhrase goal(const Verb& verb, Kinds kinds);
  void decorate(Clause& clause);
  void choose_time(Clause& clause, const Wish& wish);
  void negate(Clause& clause, const Wish& wish);

  Random random_;
  std::vector<std::string> combinations_;
};

/// Turns a phrase new to the listener into a known one: a lamp, three lamps -> the lamp, the lamps.
void make_known(NounPhrase& phrase);

/// he, she, it or they, for a noun phrase named before in the sentence.
NounPhrase pronoun_for(const NounPhrase& antecedent);

/// For Sampler::verb: an action, not a state.
bool is_action(const Verb& verb);

/// What the head of a phrase denotes; a personal pronoun denotes a person.
Kinds kinds_of(const NounPhrase& phrase);

}  // namespace kette::bundled
