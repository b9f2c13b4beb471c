// Sentences of one clause.
#include <utility>

#include "data/bundled/lexicon.h"
#include "data/bundled/marks.h"
#include "data/bundled/patterns.h"

namespace kette::bundled {
namespace {

Draft as_statement(Sampler& sampler, const Clause& clause) {
  sampler.note(clause);
  return {in_english(clause, Form::statement), in_german(clause, Order::second)};
}

Draft as_question(Sampler& sampler, const Clause& clause, Order order = Order::second) {
  sampler.note(clause);
  return {in_english(clause, Form::question), in_german(clause, order), '?'};
}

NounPhrase interrogative(bool animate) {
  NounPhrase phrase;
  phrase.head = NounPhrase::Head::interrogative;
  phrase.animate = animate;
  return phrase;
}

/// A description's subject: people, animals or things, in the singular or plural.
NounPhrase described(Sampler& sampler) {
  using namespace kind;
  return sampler.random().chance(45)
             ? sampler.person(true)
             : sampler.definite(animal | goods | text | place | furniture | served | transport,
                                true);
}

Clause with_predicate(Sampler& sampler, const NounPhrase& subject, Predicate predicate) {
  Clause clause;
  clause.subject = subject;
  clause.verb = &verb_be();
  clause.predicate = std::move(predicate);
  const bool past = sampler.random().chance(25) && agreement(subject).person != Person::second;
  if (past) clause.tense = Tense::past;
  return clause;
}

}  // namespace

Draft statement(Sampler& sampler) { return as_statement(sampler, sampler.clause()); }

Draft yes_no_question(Sampler& sampler) {
  Wish wish{.may_negate = false, .may_front_time = false, .may_be_me = false};
  // "Kaufte sie das Brot?" is correct but bookish; people ask in the perfect.
  static const std::vector<Tense> asked = {Tense::perfect, Tense::perfect, Tense::future,
                                           Tense::present};
  if (sampler.random().chance(70)) wish.tense = sampler.random().pick(asked);
  return as_question(sampler, sampler.clause(wish), Order::first);
}

Draft subject_question(Sampler& sampler) {
  NounPhrase who = interrogative(true);
  if (sampler.random().chance(40)) {
    who = sampler.definite(kind::person, true, kind::name | kind::kin);
    who.determiner = sampler.random().chance(60) ? Determiner::which : Determiner::how_many;
    if (who.determiner == Determiner::how_many) who.number = Number::plural;
  }
  return as_question(
      sampler, sampler.clause({.subject = who, .may_negate = false, .may_front_time = false}));
}

Draft object_question(Sampler& sampler) {
  Clause clause = sampler.clause(
      {.verb = &sampler.verb(kind::person, {Frame::accusative, Frame::accusative, Frame::dative}),
       .may_negate = false,
       .may_be_me = false});
  const bool people = (clause.verb->objects & kind::person) != 0;
  NounPhrase asked =
      sampler.definite(clause.verb->objects, true, kind::name | kind::city | kind::kin);
  if (!asked.noun->countable() || sampler.random().chance(50)) {
    clause.direct = interrogative(people);
  } else {
    const bool many = sampler.random().chance(30);
    if (many) asked.number = Number::plural;
    const bool whose = !people && sampler.random().chance(25);
    asked.determiner = many ? Determiner::how_many : whose ? Determiner::whose : Determiner::which;
    clause.direct = asked;
  }
  clause.completion = nullptr;
  clause.front = Slot::direct;
  return as_question(sampler, clause);
}

Draft adverb_question(Sampler& sampler) {
  static const Adverb where{"where", "wo"}, where_to{"where", "wohin"}, when{"when", "wann"},
      why{"why", "warum"};
  const bool place = sampler.random().chance(60);
  const std::vector<Frame> frames =
      place ? std::vector<Frame>{Frame::locative, Frame::directional, Frame::causative}
            : std::vector<Frame>{Frame::intransitive, Frame::accusative, Frame::directional};
  // "Where does he come out of?" is no question anybody asks.
  const Verb& verb = sampler.verb(kind::person, frames, kind::any,
                                  [&](const Verb& row) { return !place || !row.preposition; });
  Clause clause = sampler.clause(
      {.verb = &verb, .may_negate = false, .may_have_time = false, .may_be_me = false});
  if (place) clause.oblique.reset();
  if (clause.tense == Tense::progressive) clause.tense = Tense::present;
  const bool asks_why = verb.has(trait::stative) || sampler.random().chance(50);
  clause.question = !place                          ? (asks_why ? &why : &when)
                    : verb.frame == Frame::locative ? &where
                                                    : &where_to;
  // "When have you come?" is no English.
  if (clause.question == &when && clause.tense == Tense::perfect) clause.tense = Tense::future;
  clause.front = Slot::question;
  return as_question(sampler, clause);
}

Draft description(Sampler& sampler) {
  NounPhrase subject = described(sampler);
  make_known(subject);
  if (subject.noun && subject.noun->is(kind::boy | kind::child) && !subject.partner &&
      sampler.random().chance(40)) {
    const int age = 2 + static_cast<int>(sampler.random().below(11));
    Predicate years{.adjective = &adjective("old")};
    static const char count{}, unit{};
    years.english_measure = marked(english_number(age), &count) + " " + marked("years", &unit);
    years.german_measure = marked(german_number(age), &count) + " " + marked("Jahre", &unit);
    return as_statement(sampler, with_predicate(sampler, subject, years));
  }
  Clause clause =
      with_predicate(sampler, subject, {.adjective = &sampler.adjective(kinds_of(subject))});
  Random& random = sampler.random();
  if (random.chance(15)) clause.negated = true;
  if (!clause.negated && clause.tense == Tense::present && random.chance(30) &&
      (clause.predicate->adjective->kinds & kind::person & kinds_of(subject)) != 0) {
    clause.frequency = &random.pick(frequencies());
  }
  return random.chance(15) && !clause.negated ? as_question(sampler, clause, Order::first)
                                              : as_statement(sampler, clause);
}

Draft comparison(Sampler& sampler) {
  using namespace kind;
  static const std::vector<Kinds> classes = {gendered, animal, food,    clothing, building, text,
                                             vehicle,  seat,   surface, upright,  outdoors};
  const Kinds same = sampler.random().pick(classes);
  NounPhrase one = sampler.definite(same, true, name), other = sampler.definite(same, true, name);
  while (other.noun == one.noun) other = sampler.definite(same, true, name);
  // Rows are in order of size: the horse is bigger than the mouse, and stronger. For other kinds
  // nothing is said about size.
  const bool ordered = (same & (animal | building | outdoors)) != 0;
  const auto grows = [](const Adjective& word) {
    return word.english == "big" || word.english == "strong";
  };
  const auto shrinks = [](const Adjective& word) { return word.english == "small"; };
  const Adjective* quality = &sampler.adjective(same, true);
  while (!ordered && (quality->english == "big" || shrinks(*quality))) {
    quality = &sampler.adjective(same, true);
  }
  Predicate predicate{.adjective = quality};
  predicate.degree = sampler.random().chance(65) ? Degree::comparative : Degree::positive;
  if (ordered && (grows(*quality) || shrinks(*quality))) {
    predicate.degree = Degree::comparative;
    if (grows(*quality) == (one.noun < other.noun)) std::swap(one, other);
  }
  predicate.compared_to = other;
  return as_statement(sampler, with_predicate(sampler, one, predicate));
}

Draft identity(Sampler& sampler) {
  NounPhrase who = sampler.antecedent();
  while (who.number == Number::plural || who.noun->is(kind::profession)) who = sampler.antecedent();
  NounPhrase job = sampler.definite(kind::profession, true);
  // A sister is no policeman: the professions are listed with their gender.
  while (job.noun->gender != who.noun->gender) job = sampler.definite(kind::profession, true);
  job.number = Number::singular;
  job.determiner = Determiner::indefinite;
  if (sampler.random().chance(50)) {
    job.adjective = &sampler.adjective(kind::gendered);
    who.adjective = nullptr;
    who.degree = Degree::positive;
  }
  return as_statement(sampler, with_predicate(sampler, who, {.noun = job}));
}

Draft imperative(Sampler& sampler) {
  Random& random = sampler.random();
  const std::vector<Frame> frames = {Frame::accusative, Frame::dative, Frame::ditransitive,
                                     Frame::causative, Frame::directional};
  const Verb& verb = sampler.verb(kind::person, frames, kind::any, [](const Verb& row) {
    return is_action(row) && !row.preposition;
  });
  NounPhrase you;
  you.head = NounPhrase::Head::personal;
  you.who.person = Person::second;
  Clause clause = sampler.clause({.subject = you,
                                  .verb = &verb,
                                  .tense = Tense::present,
                                  .may_negate = true,
                                  .may_have_time = false});
  if (clause.direct && kinds_of(*clause.direct) & kind::person) make_known(*clause.direct);
  sampler.note(clause);
  Draft draft{in_english(clause, Form::imperative), in_german(clause, Order::imperative), '!'};
  if (random.chance(60)) {
    draft = {said_by_both("please") + draft.english, said_by_both("bitte") + draft.german, '!'};
  }
  return draft;
}

Draft passive(Sampler& sampler) {
  Random& random = sampler.random();
  const Verb& verb =
      sampler.verb(kind::person, {Frame::accusative}, kind::thing | kind::place, is_action);
  Clause clause;
  clause.verb = &verb;
  clause.passive = true;
  clause.subject = sampler.definite(verb.objects & ~(kind::person | kind::city), false);
  const std::vector<Tense> tenses = {Tense::present, Tense::past, Tense::past, Tense::perfect,
                                     Tense::future};
  if (random.chance(25)) {
    clause.modal = &modal(random.chance(50) ? "must" : "can");
  } else {
    clause.tense = random.pick(tenses);
  }
  if (random.chance(50) || (!clause.modal && clause.tense == Tense::present)) {
    clause.company = {&preposition("by", Case::dative),
                      sampler.definite(verb.subjects & kind::person, true)};
  } else if (clause.tense == Tense::past && random.chance(50)) {
    clause.time = &random.pick(past_times());
    clause.front = Slot::time;
  }
  return as_statement(sampler, clause);
}

Draft preference(Sampler& sampler) {
  const Kinds liked = kind::food | kind::drink | kind::text | kind::clothing | kind::drawable;
  Clause clause;
  clause.subject = sampler.person(true);
  clause.gladly = true;
  const bool hobby = sampler.random().chance(35);
  // Nobody likes to arrive or to tidy up.
  const auto pleasant = [](const Verb& row) { return is_action(row) && row.german.prefix.empty(); };
  clause.verb =
      hobby ? &sampler.verb(kinds_of(clause.subject), {Frame::intransitive}, kind::any, pleasant)
            : &sampler.verb(kinds_of(clause.subject), {Frame::accusative}, liked, pleasant);
  if (hobby) {
    sampler.complete(clause, true);
  } else {
    NounPhrase things = sampler.definite(clause.verb->objects & liked, false);
    const bool countable = things.noun->countable();
    things.determiner = countable ? Determiner::indefinite : Determiner::none;
    things.number = countable ? Number::plural : Number::singular;
    things.degree = Degree::positive;
    clause.direct = things;
  }
  return sampler.random().chance(15) ? as_question(sampler, clause, Order::first)
                                     : as_statement(sampler, clause);
}

Draft existence(Sampler& sampler) {
  // "There are two dogs in the garden": German moves the place to the front.
  Random& random = sampler.random();
  NounPhrase who = sampler.definite(kind::animal, true);
  if (who.number == Number::plural || random.chance(50)) {
    who.number = Number::plural;
    who.determiner = random.chance(70) ? Determiner::number : Determiner::many;
    who.count = 2 + static_cast<int>(random.below(11));
  } else {
    who.determiner = random.chance(75) ? Determiner::indefinite : Determiner::negative;
  }
  NounPhrase place = sampler.definite(kind::place, true);
  place.number = Number::singular;
  const PrepositionPhrase where{&preposition("in", Case::dative), place};
  const bool several = who.number == Number::plural;
  return {said_by_both(several ? "there are" : "there is") +
              join({in_english(who, Function::object), in_english(where)}),
          in_german(where) + " " + said_by_both("gibt es") + in_german(who, Case::accusative)};
}

}  // namespace kette::bundled
