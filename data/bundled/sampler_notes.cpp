// Records which content words a sentence combines.
#include "data/bundled/sampler.h"

namespace kette::bundled {

void Sampler::note(const Verb& verb, const NounPhrase& phrase) {
  if (!phrase.noun) return;
  const std::string name = join({verb.english.base, verb.english.particle});
  combinations_.push_back(name + "+" + phrase.noun->singular);
}

void Sampler::note(const Adjective& adjective, const NounPhrase& phrase) {
  if (phrase.noun) combinations_.push_back(adjective.english + "+" + phrase.noun->singular);
}

void Sampler::note(const NounPhrase& phrase) {
  if (phrase.adjective) note(*phrase.adjective, phrase);
  if (phrase.owner) note(*phrase.owner);
  if (phrase.partner) note(*phrase.partner);
  if (!phrase.relative) return;
  // The noun of a relative pronoun has that pronoun's role.
  note(*phrase.relative);
  const NounPhrase& subject = phrase.relative->subject;
  const bool whose = subject.determiner == Determiner::relative_whose;
  if (!whose) note(*phrase.relative->verb, phrase);
}

void Sampler::note(const Clause& clause) {
  const Verb& verb = *clause.verb;
  const auto note_role = [&](const NounPhrase& phrase) {
    note(phrase);
    if (verb.frame != Frame::copula) note(verb, phrase);
    if (phrase.partner && verb.frame != Frame::copula) note(verb, *phrase.partner);
  };
  note_role(clause.subject);
  if (clause.direct) note_role(*clause.direct);
  if (clause.indirect) note_role(*clause.indirect);
  if (clause.oblique) note_role(clause.oblique->object);
  if (clause.company) note_role(clause.company->object);
  if (!clause.predicate) return;
  if (clause.predicate->adjective) note(*clause.predicate->adjective, clause.subject);
  if (clause.predicate->compared_to)
    note(*clause.predicate->adjective, *clause.predicate->compared_to);
  if (clause.predicate->noun) note(*clause.predicate->noun);
}

}  // namespace kette::bundled
