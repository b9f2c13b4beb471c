// Sentences of several clauses: the German subordinate clause puts its verb last, a main clause
// after one puts its verb first, and a pronoun takes the gender of its noun.
#include "data/bundled/lexicon.h"
#include "data/bundled/marks.h"
#include "data/bundled/patterns.h"

namespace kette::bundled {
namespace {

using Head = NounPhrase::Head;

constexpr Kinds kSingleThings = kind::goods | kind::text | kind::furniture | kind::opening;

std::string main_clause(const Clause& clause) { return in_german(clause, Order::second); }
std::string subordinate(const Clause& clause) { return in_german(clause, Order::last); }

/// The English side. Every clause passes here once and is recorded for the split.
std::string statement_of(Sampler& sampler, const Clause& clause, Form form = Form::statement) {
  sampler.note(clause);
  return in_english(clause, form);
}

Clause be(Sampler& sampler, const NounPhrase& subject, const NounPhrase& about,
          Kinds marked = kind::telling) {
  Clause clause;
  clause.subject = subject;
  clause.verb = &verb_be();
  clause.predicate = Predicate{.adjective = &sampler.adjective(kinds_of(about), false, marked)};
  sampler.note(*clause.predicate->adjective, about);
  return clause;
}

/// The tense of a state described along with an action.
Tense told_in(const Clause& main) {
  return main.tense == Tense::past ? Tense::past : Tense::present;
}

/// Whether a property of the thing can be the reason: nobody has a thing because it is heavy, or
/// loses it because it is cheap.
bool has_reasons(const Verb& verb) {
  const bool happens = verb.has(trait::stative) && !verb.has(trait::lasting);
  return !happens && (verb.objects & kind::means) == 0;
}

/// A person does something to a thing; both are named, and only the thing can be "it".
Clause deed(Sampler& sampler, bool (*fits)(const Verb&)) {
  const NounPhrase who = sampler.antecedent();
  const Verb& verb = sampler.verb(kinds_of(who), {Frame::accusative}, kSingleThings, fits);
  Clause clause;
  clause.subject = who;
  clause.subject.number = Number::singular;
  clause.verb = &verb;
  clause.direct =
      sampler.definite(verb.objects & kSingleThings, false, kind::person | kind::animal);
  return clause;
}

struct Weather {
  const char *english, *german;
};

std::string in_english(const Weather& weather) { return marked(weather.english, &weather); }
std::string in_german(const Weather& weather) { return marked(weather.german, &weather); }

constexpr Weather kWeather[] = {{"it is raining", "es regnet"}, {"it is snowing", "es schneit"}};

/// A clause without ornaments about this subject.
Clause short_clause(Sampler& sampler, const NounPhrase& subject) {
  return sampler.clause({.subject = subject, .may_have_time = false, .plain = true});
}

/// Because she wants to read the book.
Clause motive(Sampler& sampler, const NounPhrase& who) {
  static const std::vector<const char*> motives = {"want to", "want to", "must", "may", "can"};
  Wish wish{.subject = who, .may_negate = false, .may_have_time = false, .plain = true};
  wish.modal = &modal(sampler.random().pick(motives));
  const std::vector<Frame> frames = {Frame::intransitive, Frame::accusative, Frame::dative,
                                     Frame::ditransitive, Frame::directional};
  wish.verb = &sampler.verb(kinds_of(who), frames, kind::any, is_action);
  return sampler.clause(wish);
}

/// The main clause and its subordinate clause must not name the same person.
void keep_apart(Sampler& sampler, Clause& main, const Clause& inner) {
  while (main.subject.noun && main.subject.noun == inner.subject.noun) {
    main.subject = sampler.person(true);
  }
}

NounPhrase without_adjective(NounPhrase phrase) {
  phrase.adjective = nullptr;
  phrase.degree = Degree::positive;
  return phrase;
}

NounPhrase understood(const NounPhrase& subject) {
  NounPhrase phrase;
  phrase.head = Head::understood;
  phrase.who = agreement(subject);
  return phrase;
}

NounPhrase relative_pronoun(const NounPhrase& antecedent) {
  NounPhrase phrase;
  phrase.head = Head::relative;
  phrase.who = agreement(antecedent);
  phrase.animate = (kinds_of(antecedent) & kind::person) != 0;
  return phrase;
}

}  // namespace

Draft reason(Sampler& sampler) {
  Random& random = sampler.random();
  const bool because = random.chance(65);
  const std::string english = " " + said_by_both(because ? "because" : "although");
  const std::string german = ", " + said_by_both(because ? "weil" : "obwohl");
  if (random.chance(12)) {
    const Clause main = sampler.clause({.tense = Tense::present, .plain = true});
    const Weather& weather = random.pick(kWeather);
    return {statement_of(sampler, main) + english + in_english(weather),
            main_clause(main) + german + in_german(weather)};
  }
  const NounPhrase who = sampler.antecedent();
  const Clause main = short_clause(sampler, who);
  const NounPhrase again = pronoun_for(who);
  const bool state = main.tense == Tense::past || random.chance(70);
  Clause why = state ? be(sampler, again, who) : motive(sampler, again);
  if (state) why.tense = told_in(main);
  return {statement_of(sampler, main) + english + statement_of(sampler, why),
          main_clause(main) + german + subordinate(why)};
}

Draft reason_in_the_thing(Sampler& sampler) {
  // "It" can only be the thing: the subject is a person.
  Clause main = deed(sampler, has_reasons);
  sampler.choose_tense(main, {});
  const bool because = sampler.random().chance(65);
  const NounPhrase thing = without_adjective(*main.direct);
  main.direct = thing;
  Clause why = be(sampler, pronoun_for(thing), thing);
  why.tense = told_in(main);
  return {statement_of(sampler, main) + " " + said_by_both(because ? "because" : "although") +
              statement_of(sampler, why),
          main_clause(main) + ", " + said_by_both(because ? "weil" : "obwohl") + subordinate(why)};
}

Draft report(Sampler& sampler) {
  Random& random = sampler.random();
  Clause main;
  main.subject = sampler.person(true);
  main.verb = &random.pick(reporting_verbs());
  const Clause said = sampler.clause({.may_front_time = false, .plain = true});
  keep_apart(sampler, main, said);
  const bool second = agreement(main.subject).person == Person::second;
  if (said.tense == Tense::past && !second && random.chance(70)) main.tense = Tense::past;
  return {statement_of(sampler, main) + " " + said_by_both("that") + statement_of(sampler, said),
          main_clause(main) + ", " + said_by_both("dass") + subordinate(said)};
}

Draft indirect_question(Sampler& sampler) {
  static const Adverb where{"where", "wo"}, where_to{"where", "wohin"}, why{"why", "warum"};
  Random& random = sampler.random();
  Clause main;
  main.subject = sampler.person(true);
  main.verb = random.chance(50) ? &verb_ask() : &verb_know();
  main.negated = main.verb == &verb_know();
  std::string english = " " + said_by_both("whether"), german = ", " + said_by_both("ob");
  Clause asked = sampler.clause({.may_negate = false, .may_have_time = false, .plain = true});
  keep_apart(sampler, main, asked);
  make_known(main.subject);
  const Frame frame = asked.verb->frame;
  const bool placed = frame == Frame::locative || frame == Frame::directional;
  if (placed && !asked.verb->preposition && random.chance(70)) {
    asked.oblique.reset();
    asked.question = frame == Frame::locative ? &where : &where_to;
  } else if (random.chance(25)) {
    asked.question = &why;
  }
  if (asked.question) {
    asked.front = Slot::question;
    english = " ";
    german = ", ";
  }
  return {statement_of(sampler, main) + english + statement_of(sampler, asked),
          main_clause(main) + german + subordinate(asked)};
}

Draft condition(Sampler& sampler) {
  Random& random = sampler.random();
  if (random.chance(25)) {
    const Weather& weather = random.pick(kWeather);
    Clause main = sampler.clause({.tense = Tense::present, .may_have_time = false, .plain = true});
    return {said_by_both("if") + in_english(weather) + ", " + statement_of(sampler, main),
            said_by_both("wenn") + in_german(weather) + ", " + in_german(main, Order::first)};
  }
  const NounPhrase who = without_adjective(sampler.antecedent());
  const Clause state = be(sampler, who, who);
  Wish wish{.subject = pronoun_for(who), .may_have_time = false, .plain = true};
  wish.tense = random.chance(65) ? Tense::present : Tense::future;
  const Clause main = sampler.clause(wish);
  return {said_by_both("if") + statement_of(sampler, state) + ", " + statement_of(sampler, main),
          said_by_both("wenn") + subordinate(state) + ", " + in_german(main, Order::first)};
}

Draft condition_of_the_thing(Sampler& sampler) {
  Clause main = deed(sampler, has_reasons);
  const NounPhrase thing = without_adjective(*main.direct);
  const Clause state = be(sampler, thing, thing);
  sampler.note(*main.verb, thing);
  main.direct = pronoun_for(thing);
  main.tense = sampler.random().chance(70) ? Tense::present : Tense::future;
  return {said_by_both("if") + statement_of(sampler, state) + ", " + statement_of(sampler, main),
          said_by_both("wenn") + subordinate(state) + ", " + in_german(main, Order::first)};
}

Draft relative_subject(Sampler& sampler) {
  Random& random = sampler.random();
  NounPhrase who = sampler.definite(kind::person, true, kind::name);
  Clause inner;
  if (random.chance(25)) {
    // Whose dog: the pronoun takes the owner's gender, the noun its own case.
    NounPhrase pet = sampler.definite(kind::animal | kind::kin, true);
    while (pet.noun == who.noun) pet = sampler.definite(kind::animal | kind::kin, true);
    pet.determiner = Determiner::relative_whose;
    pet.who = agreement(who);
    inner = short_clause(sampler, pet);
  } else {
    Wish wish{.subject = relative_pronoun(who), .may_have_time = false, .plain = true};
    inner = sampler.clause(wish);
  }
  const NounPhrase plain = who;
  who.relative = std::make_shared<Clause>(inner);
  if (random.chance(55)) {
    Clause main = be(sampler, who, plain, kind::any);
    if (random.chance(25)) main.tense = Tense::past;
    return {statement_of(sampler, main), main_clause(main)};
  }
  Clause main;
  main.subject = sampler.person(true);
  main.verb =
      &sampler.verb(kinds_of(main.subject), {Frame::accusative, Frame::dative}, kind::child);
  while (main.subject.noun == who.noun) main.subject = sampler.person(true);
  main.direct = who;
  sampler.choose_tense(main, {});
  return {statement_of(sampler, main), main_clause(main)};
}

Draft relative_object(Sampler& sampler) {
  Random& random = sampler.random();
  Clause inner = sampler.clause({.may_negate = false, .may_have_time = false, .plain = true});
  NounPhrase antecedent;
  const bool direct = inner.direct && !inner.verb->has(trait::to_only) && !inner.oblique;
  const bool oblique = inner.oblique && inner.oblique->object.noun &&
                       !inner.oblique->object.noun->is(kind::city | kind::name);
  if (direct) {
    const Kinds all = inner.verb->objects;
    antecedent = sampler.definite(all, true, kind::name | kind::city | kind::means);
    if (inner.indirect) inner.to_dative = true;
    inner.direct = relative_pronoun(antecedent);
    inner.front = Slot::direct;
  } else if (oblique) {
    antecedent = inner.oblique->object;
    antecedent.determiner = Determiner::definite;
    inner.oblique->object = relative_pronoun(antecedent);
    inner.front = Slot::oblique;
  } else {
    return relative_subject(sampler);
  }
  inner.completion = nullptr;
  const NounPhrase plain = antecedent;
  antecedent.relative = std::make_shared<Clause>(inner);
  Clause main = be(sampler, antecedent, plain, kind::any);
  if (random.chance(25)) main.tense = Tense::past;
  return {statement_of(sampler, main), main_clause(main)};
}

Draft intention(Sampler& sampler) {
  Random& random = sampler.random();
  Clause main;
  main.subject = sampler.person(true);
  main.verb = &random.pick(infinitive_verbs());
  const unsigned roll = static_cast<unsigned>(random.below(100));
  const bool second = agreement(main.subject).person == Person::second;
  const bool lasting = main.verb->has(trait::lasting);
  main.tense = roll < 45 || (second && lasting)    ? Tense::present
               : (roll < 70 && !second) || lasting ? Tense::past
                                                   : Tense::perfect;
  Clause deed;
  deed.subject = main.subject;
  const std::vector<Frame> frames = {Frame::intransitive, Frame::accusative,   Frame::accusative,
                                     Frame::dative,       Frame::ditransitive, Frame::causative};
  deed.verb = &sampler.verb(kinds_of(main.subject), {random.pick(frames)}, kind::any, is_action);
  sampler.complete(deed, true);
  return {statement_of(sampler, main) + " " + statement_of(sampler, deed, Form::infinitive),
          main_clause(main) + ", " + in_german(deed, Order::infinitive)};
}

Draft purpose(Sampler& sampler) {
  const NounPhrase who = sampler.person(true);
  const Verb& go = sampler.verb(kinds_of(who), {Frame::directional});
  const Clause main =
      sampler.clause({.subject = who, .verb = &go, .may_negate = false, .plain = true});
  Clause aim;
  aim.subject = who;
  aim.verb = &sampler.verb(kinds_of(who), {Frame::accusative, Frame::dative}, kind::any, is_action);
  sampler.complete(aim, true);
  return {statement_of(sampler, main) + " " + statement_of(sampler, aim, Form::infinitive),
          main_clause(main) + ", " + marked("um", &aim.verb, Role::to) + " " +
              in_german(aim, Order::infinitive)};
}

Draft two_people(Sampler& sampler) {
  const bool but = sampler.random().chance(50);
  Wish wish{.tense = Tense::present, .may_have_time = false, .plain = true};
  wish.subject = sampler.antecedent();
  const Clause one = sampler.clause(wish);
  while (wish.subject->noun == one.subject.noun) wish.subject = sampler.antecedent();
  const Clause other = sampler.clause(wish);
  return {statement_of(sampler, one) +
              (but ? ", " + said_by_both("but") : " " + said_by_both("and")) +
              statement_of(sampler, other),
          main_clause(one) + (but ? ", " + said_by_both("aber") : " " + said_by_both("und")) +
              main_clause(other)};
}

Draft two_deeds(Sampler& sampler) {
  // Finds a hat and tries it on.
  Clause first = deed(sampler, [](const Verb& verb) { return verb.has(trait::gets); });
  first.tense = sampler.random().chance(60) ? Tense::present : Tense::past;
  if (first.verb->english.past == first.verb->english.base) first.tense = Tense::present;
  Clause then;
  then.tense = first.tense;
  then.subject = understood(first.subject);
  const Kinds thing = first.direct->noun->kinds;
  const auto unfit = [&](const Verb& verb) {
    return verb.has(trait::gets) || verb.has(trait::stative) ||
           verb.english.past == verb.english.base;
  };
  for (int attempts = 0; !then.verb || unfit(*then.verb); ++attempts) {
    if (attempts == 20) return two_people(sampler);  // a shelf has few uses
    then.verb = &sampler.verb(kinds_of(first.subject), {Frame::accusative}, thing);
  }
  then.direct = pronoun_for(*first.direct);
  sampler.note(*then.verb, *first.direct);
  return {statement_of(sampler, first) + " " + said_by_both("and") + statement_of(sampler, then),
          main_clause(first) + " " + said_by_both("und") + main_clause(then)};
}

std::string said_by_both(const char* words) { return marked(words, nullptr) + " "; }

const std::vector<Pattern>& patterns() {
  static const std::vector<Pattern> table = {
      {"statement", 330, statement},
      {"yes-no question", 55, yes_no_question},
      {"subject question", 25, subject_question},
      {"object question", 35, object_question},
      {"adverb question", 30, adverb_question},
      {"description", 50, description},
      {"comparison", 25, comparison},
      {"identity", 10, identity},
      {"imperative", 35, imperative},
      {"passive", 40, passive},
      {"preference", 25, preference},
      {"existence", 15, existence},
      {"reason", 55, reason},
      {"reason in the thing", 30, reason_in_the_thing},
      {"report", 45, report},
      {"indirect question", 35, indirect_question},
      {"condition", 30, condition},
      {"condition of the thing", 20, condition_of_the_thing},
      {"relative subject", 25, relative_subject},
      {"relative object", 20, relative_object},
      {"intention", 25, intention},
      {"purpose", 15, purpose},
      {"two people", 15, two_people},
      {"two deeds", 10, two_deeds},
  };
  return table;
}

}  // namespace kette::bundled
