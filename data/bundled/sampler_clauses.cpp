// Choosing clauses: verb, objects, place or goal, tense, time, negation.
#include "data/bundled/lexicon.h"
#include "data/bundled/sampler.h"

namespace kette::bundled {
namespace {

bool is_me(const NounPhrase& phrase) {
  return phrase.pronoun() && phrase.who.person == Person::first &&
         phrase.who.number == Number::singular;
}

}  // namespace

void make_known(NounPhrase& phrase) {
  if (phrase.head != NounPhrase::Head::noun || phrase.noun->is(kind::name | kind::city)) return;
  if (phrase.new_to_listener() || phrase.determiner == Determiner::every) {
    phrase.determiner = Determiner::definite;
    if (phrase.degree == Degree::comparative) phrase.degree = Degree::positive;
  }
}

bool is_action(const Verb& verb) { return !verb.has(trait::stative); }

PrepositionPhrase Sampler::place(const Verb& verb) {
  using namespace kind;
  NounPhrase where = definite(verb.objects, true);
  where.number = Number::singular;
  const Noun& noun = *where.noun;
  const auto two_way = [](const char* word) { return &preposition(word, Case::dative); };
  const unsigned roll = static_cast<unsigned>(random_.below(100));
  const char* word = "in";
  if (noun.is(furniture)) word = roll < 60 ? "on" : roll < 80 ? "under" : "next to";
  if (noun.is(building) && roll >= 45) {
    word = roll < 65 ? "in front of" : roll < 82 ? "behind" : "next to";
  }
  return {two_way(word), where};
}

PrepositionPhrase Sampler::goal(const Verb& verb, Kinds kinds) {
  using kind::building, kind::city, kind::furniture, kind::outdoors;
  NounPhrase where = definite(kinds, true, kind::name);
  if (!where.noun->is(kind::person)) where.number = Number::singular;
  const Noun& noun = *where.noun;
  if (verb.preposition) return {verb.preposition, where};
  const unsigned roll = static_cast<unsigned>(random_.below(100));
  if (noun.is(kind::person | city) || (noun.is(building) && roll < 50)) {
    return {&preposition("to", Case::dative), where};
  }
  const bool moves = verb.frame == Frame::directional;
  const char* word = "into";
  if (noun.is(outdoors) && roll < 40) word = "through";
  if (noun.is(furniture))
    word = roll < 60 ? (moves ? "onto" : "on") : roll < 80 ? "under" : "next to";
  return {&preposition(word, Case::accusative), where};
}

void Sampler::complete(Clause& clause, bool plain) {
  const Verb& verb = *clause.verb;
  switch (verb.frame) {
    case Frame::accusative:
    case Frame::dative:
      clause.direct = object(verb.objects, clause.subject, plain);
      break;
    case Frame::ditransitive:
      clause.indirect = object(kind::person, clause.subject, true);
      clause.direct = object(verb.objects, clause.subject, plain);
      clause.to_dative = verb.has(trait::to_only) || random_.chance(50);
      break;
    case Frame::prepositional:
      clause.oblique = {verb.preposition, object(verb.objects, clause.subject, plain)};
      break;
    case Frame::locative:
      clause.oblique = place(verb);
      break;
    case Frame::directional:
      clause.oblique = goal(verb, verb.objects);
      break;
    case Frame::causative:
      clause.direct = object(verb.objects, clause.subject, plain);
      clause.oblique = goal(verb, kind::furniture | kind::container);
      while (clause.oblique->object.noun == clause.direct->noun) {
        clause.oblique = goal(verb, kind::furniture);
      }
      break;
    default:
      break;
  }
  // One likes the book, not a book; but one has or needs a book.
  const bool owns = (verb.objects & kind::means) != 0;
  if (clause.direct && verb.has(trait::lasting) && !owns) make_known(*clause.direct);
  if (!plain) decorate(clause);
}

void Sampler::decorate(Clause& clause) {
  using namespace trait;
  const Verb& verb = *clause.verb;
  const bool people = (kinds_of(clause.subject) & kind::person) != 0;
  if (verb.has(voice) && random_.chance(30)) clause.manner = &random_.pick(voices());
  if (verb.has(pace) && random_.chance(30)) clause.manner = &random_.pick(paces());
  if (verb.has(at) && random_.chance(50)) {
    static const Verb somewhere{{}, {}, Frame::locative, kind::any, kind::place};
    PrepositionPhrase where = place(somewhere);
    clause.oblique = where;
  }
  if (people && verb.has(company) && random_.chance(30)) {
    const bool with = random_.chance(70);
    const Preposition& word =
        with ? preposition("with", Case::dative) : preposition("without", Case::accusative);
    clause.company = {&word, object(kind::gendered | kind::animal, clause.subject, true)};
  }
  if (verb.has(gift) && random_.chance(25) && !clause.direct->owner) {
    clause.company = {&preposition("for", Case::accusative),
                      object(kind::person, clause.subject, true)};
  }
}

void Sampler::choose_tense(Clause& clause, const Wish& wish) {
  const Verb& verb = *clause.verb;
  const bool stative = verb.has(trait::stative);
  // "You read" has no German past in speech, and "they read", "they put" hide their tense.
  const bool has_past =
      verb.english.past != verb.english.base && agreement(clause.subject).person != Person::second;
  const bool lasting = verb.has(trait::lasting);
  const unsigned roll = static_cast<unsigned>(random_.below(100));
  if (wish.modal) {
    clause.modal = wish.modal;
  } else if (wish.tense) {
    clause.tense = lasting ? Tense::present : *wish.tense;
  } else if (roll < 18 || (lasting && roll < 34)) {
    clause.tense = has_past ? Tense::past : Tense::present;
  } else if (roll < 34) {
    clause.tense = Tense::perfect;
  } else if (roll < 43 && !lasting) {
    clause.tense = Tense::future;
  } else if (roll < 52 && !stative && verb.frame != Frame::locative) {
    clause.tense = Tense::progressive;
  } else if (roll < 68 && !stative && (kinds_of(clause.subject) & kind::person) != 0) {
    clause.modal = &random_.pick(modals());
    const bool second = agreement(clause.subject).person == Person::second;
    if (clause.modal->has_past && !second && random_.chance(25)) clause.tense = Tense::past;
  }
}

void Sampler::choose_time(Clause& clause, const Wish& wish) {
  const Tense tense = clause.tense;
  const bool stative = clause.verb->has(trait::stative);
  if (stative || tense == Tense::progressive) return;
  if (tense == Tense::perfect) {
    if (random_.chance(35)) clause.completion = &random_.pick(completions());
    return;
  }
  if (random_.chance(6)) {
    clause.time = &random_.pick(circumstances());
  } else if (tense == Tense::past) {
    if (random_.chance(45)) clause.time = &random_.pick(past_times());
  } else if (tense == Tense::future) {
    if (random_.chance(45)) clause.time = &random_.pick(future_times());
  } else if (random_.chance(24)) {
    const bool ahead = clause.modal && random_.chance(50);
    clause.time = &random_.pick(ahead ? future_times() : present_times());
  } else if (!clause.modal && random_.chance(14)) {
    clause.frequency = &random_.pick(frequencies());
  }
  if (clause.time && wish.may_front_time && random_.chance(55)) clause.front = Slot::time;
}

/// A negated clause speaks of known things: "nicht" before an indefinite phrase sounds wrong
/// outside the direct object, where "kein" takes over.
void Sampler::negate(Clause& clause, const Wish& wish) {
  clause.negated = true;
  if (clause.time && wish.may_front_time) clause.front = Slot::time;
  make_known(clause.subject);
  if (clause.indirect) make_known(*clause.indirect);
  if (clause.oblique) make_known(clause.oblique->object);
  if (clause.company) make_known(clause.company->object);
  if (clause.direct && (!clause.direct->indefinite() || clause.verb->frame == Frame::dative)) {
    make_known(*clause.direct);
  }
}

Clause Sampler::clause(const Wish& wish) {
  static const std::vector<std::vector<Frame>> frames = {
      {Frame::intransitive},  {Frame::accusative}, {Frame::accusative},   {Frame::accusative},
      {Frame::accusative},    {Frame::dative},     {Frame::ditransitive}, {Frame::ditransitive},
      {Frame::prepositional}, {Frame::locative},   {Frame::directional},  {Frame::causative},
  };
  Clause clause;
  const Kinds subjects = wish.subject ? kinds_of(*wish.subject) : kind::any;
  const std::vector<Frame>* chosen = &random_.pick(frames);
  const bool animal = (subjects & kind::animal) != 0 && subjects != kind::any;
  if (animal) {
    while (chosen->front() == Frame::ditransitive || chosen->front() == Frame::causative) {
      chosen = &random_.pick(frames);
    }
  }
  clause.verb = wish.verb ? wish.verb : &verb(subjects, *chosen);
  clause.subject = wish.subject ? *wish.subject : subject_of(*clause.verb, wish.plain);
  while (!wish.may_be_me && is_me(clause.subject)) {
    clause.subject = subject_of(*clause.verb, wish.plain);
  }
  complete(clause, wish.plain);
  choose_tense(clause, wish);
  if (wish.may_have_time) choose_time(clause, wish);
  const bool modal_allows = !clause.modal || clause.modal->may_be_negated;
  if (wish.may_negate && modal_allows && clause.tense != Tense::progressive && !clause.frequency &&
      !clause.completion && random_.chance(13)) {
    negate(clause, wish);
  }
  return clause;
}

}  // namespace kette::bundled
