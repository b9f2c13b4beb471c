// English phrases and clauses: fixed order, do-support, inversion in questions.
#include "data/bundled/english_morphology.h"
#include "data/bundled/lexicon.h"
#include "data/bundled/marks.h"
#include "data/bundled/syntax.h"

namespace kette::bundled {
namespace {

using Words = std::vector<std::string>;

std::string possessive(Agreement owner) {
  const bool plural = owner.number == Number::plural;
  if (owner.person == Person::first) return plural ? "our" : "my";
  if (owner.person == Person::second) return "your";
  return plural ? "their" : owner.gender == Gender::feminine ? "her" : "his";
}

std::string personal_pronoun(Agreement who, Function function) {
  const bool subject = function == Function::subject;
  const bool plural = who.number == Number::plural;
  if (who.person == Person::second) return "you";
  if (who.person == Person::first) {
    return plural ? (subject ? "we" : "us") : (subject ? "I" : "me");
  }
  return subject ? "they" : "them";
}

std::string pronoun(const NounPhrase& phrase, Function function) {
  const bool subject = function == Function::subject;
  if (phrase.head == NounPhrase::Head::understood) return "";
  if (phrase.head == NounPhrase::Head::interrogative)
    return !phrase.animate ? "what" : subject ? "who" : "whom";
  if (phrase.head == NounPhrase::Head::relative) {
    return phrase.animate ? (subject ? "who" : "whom") : "that";
  }
  const bool third = phrase.who.person == Person::third && phrase.who.number == Number::singular;
  if (!third) return personal_pronoun(phrase.who, function);
  if (!phrase.animate) return "it";
  const bool he = phrase.who.gender == Gender::masculine;
  return he ? (subject ? "he" : "him") : (subject ? "she" : "her");
}

std::string determiner(const NounPhrase& phrase, const std::string& next_word) {
  const bool plural = phrase.number == Number::plural;
  switch (phrase.determiner) {
    case Determiner::none:
      return "";
    case Determiner::definite:
      return "the";
    case Determiner::indefinite:
      return plural ? "" : english::indefinite_article(next_word);
    case Determiner::negative:
      return "no";
    case Determiner::demonstrative:
      return plural ? "these" : "this";
    case Determiner::every:
      return "every";
    case Determiner::which:
      return "which";
    case Determiner::possessive:
      return possessive(phrase.who);
    case Determiner::some:
      return "some";
    case Determiner::many:
      return "many";
    case Determiner::number:
      return english_number(phrase.count);
    case Determiner::how_many:
      return "how many";
    case Determiner::whose:
    case Determiner::relative_whose:
      return "whose";
  }
  return "";
}

/// The auxiliary, which inverts and carries "not", and the rest of the verb.
struct VerbGroup {
  std::string auxiliary, main;
};

VerbGroup verb_group(const Clause& clause, bool support) {
  const EnglishVerb& verb = clause.verb->english;
  const Agreement subject = agreement(clause.subject);
  const bool past = clause.tense == Tense::past;
  const auto as = [&](Role role, const std::string& words) {
    return marked(words, &clause.verb, role);
  };
  const auto finite = [&](const EnglishVerb& which, Role role) {
    return as(role, past ? english::past(which, subject) : english::present(which, subject));
  };
  const EnglishVerb& be = verb_be().english;
  const std::string participle = as(Role::word, english::participle(verb));
  const std::string bare =
      clause.passive ? as(Role::be, "be") + " " + participle : as(Role::word, verb.base);

  const auto supported = [&](const EnglishVerb& which, Role role,
                             const std::string& rest) -> VerbGroup {
    if (!support) return {"", join({finite(which, role), rest})};
    static const EnglishVerb kDo{"do", "did", "done"};
    return {finite(kDo, Role::support), join({as(role, which.base), rest})};
  };
  const std::string to_bare = as(Role::to, "to") + " " + bare;
  if (clause.modal) {
    const EnglishVerb& modal = clause.modal->english;
    if (!modal.particle.empty()) return supported(modal, Role::auxiliary, to_bare);
    return {as(Role::auxiliary, past ? modal.past : modal.base), bare};
  }
  if (clause.tense == Tense::future) return {as(Role::auxiliary, "will"), bare};
  if (clause.tense == Tense::perfect) {
    static const EnglishVerb kHave{"have", "had", "had"};
    return {as(Role::auxiliary, english::present(kHave, subject)),
            join({clause.passive ? as(Role::be, "been") : "", participle})};
  }
  if (clause.passive) return {finite(be, Role::auxiliary), participle};
  if (clause.tense == Tense::progressive) {
    return {as(Role::auxiliary, english::present(be, subject)),
            as(Role::word, english::progressive(verb))};
  }
  if (clause.verb->frame == Frame::copula) return {finite(be, Role::word), ""};
  static const EnglishVerb kLike{"like", "liked", "liked"};
  return clause.gladly ? supported(kLike, Role::gladly, to_bare) : supported(verb, Role::word, "");
}

std::string predicate(const Clause& clause) {
  const Predicate& what = *clause.predicate;
  if (what.noun) return in_english(*what.noun, Function::subject);
  const bool equal = what.compared_to && what.degree == Degree::positive;
  Words words = {what.english_measure, equal ? marked("as", &what.degree) : "",
                 marked(english::compare(what.adjective->english, what.degree), &what.adjective)};
  if (what.compared_to) {
    words.push_back(marked(equal ? "as" : "than", &what.compared_to));
    words.push_back(in_english(*what.compared_to, Function::subject));
  }
  return join(words);
}

std::string slot(const Clause& clause, Slot which) {
  switch (which) {
    case Slot::subject:
      return in_english(clause.subject, Function::subject);
    case Slot::direct:
      return in_english(*clause.direct, Function::object);
    case Slot::indirect: {
      const bool to = clause.front == Slot::indirect || clause.to_dative;
      return join({to ? marked("to", &clause.indirect->determiner, Role::to) : "",
                   in_english(*clause.indirect, Function::object)});
    }
    case Slot::oblique:
      return in_english(*clause.oblique);
    case Slot::time:
      return marked(clause.time->english, &clause.time);
    case Slot::question:
      return marked(clause.question->english, &clause.question);
  }
  return "";
}

/// Everything behind the verb: particle, objects, manner, place, company, time.
std::string complements(const Clause& clause) {
  const std::string& particle = clause.verb->english.particle;
  const bool has_direct = clause.direct && clause.front != Slot::direct;
  const bool has_indirect = clause.indirect && clause.front != Slot::indirect;
  // "for", "at" and "to" stay before a pronoun; "on" and "up" let it pass: picks her up.
  const bool stays = particle == "for" || particle == "at" || particle == "to";
  const bool passes = has_direct && clause.direct->pronoun() && !stays;

  Words words;
  if (!passes) words.push_back(marked(particle, &clause.verb, Role::particle));
  if (has_indirect && !clause.to_dative) words.push_back(slot(clause, Slot::indirect));
  if (has_direct) words.push_back(slot(clause, Slot::direct));
  if (has_indirect && clause.to_dative) words.push_back(slot(clause, Slot::indirect));
  if (passes) words.push_back(marked(particle, &clause.verb, Role::particle));
  if (clause.predicate) words.push_back(predicate(clause));
  if (clause.manner) words.push_back(marked(clause.manner->english, &clause.manner));
  if (clause.oblique && clause.front != Slot::oblique) words.push_back(in_english(*clause.oblique));
  if (clause.company) words.push_back(in_english(*clause.company));
  if (clause.time && clause.front != Slot::time) words.push_back(slot(clause, Slot::time));
  return join(words);
}

}  // namespace

std::string in_english(const NounPhrase& phrase, Function function) {
  Words words;
  if (phrase.head != NounPhrase::Head::noun) {
    words = {marked(pronoun(phrase, function), &phrase.head)};
  } else {
    const bool plural = phrase.number == Number::plural;
    std::string name = marked(plural ? phrase.noun->plural : phrase.noun->singular, &phrase.noun);
    if (phrase.adjective) {
      const std::string quality = english::compare(phrase.adjective->english, phrase.degree);
      name = marked(quality, &phrase.adjective) + " " + name;
    }
    const std::string opening = phrase.owner ? in_english(*phrase.owner, Function::object) + "'s"
                                             : marked(determiner(phrase, name), &phrase.determiner);
    words = {opening, name};
  }
  if (phrase.partner) {
    words.push_back(marked("and", &phrase.partner));
    words.push_back(in_english(*phrase.partner, function));
  }
  if (phrase.relative) words.push_back(in_english(*phrase.relative, Form::statement));
  return join(words);
}

std::string in_english(const PrepositionPhrase& phrase) {
  const NounPhrase& object = phrase.object;
  const std::string word = marked(phrase.preposition->english, &phrase.preposition) + " ";
  if (object.head == NounPhrase::Head::relative) {
    return word + marked(object.animate ? "whom" : "which", &object.head);
  }
  return word + in_english(object, Function::object);
}

std::string in_english(const Clause& clause, Form form) {
  if (form == Form::infinitive || form == Form::imperative) {
    const bool imperative = form == Form::imperative;
    const std::string opening = !imperative      ? marked("to", &clause.verb, Role::to)
                                : clause.negated ? marked("do", &clause.verb, Role::support) + " " +
                                                       marked("not", &clause.negated)
                                                 : "";
    return join({opening, marked(clause.verb->english.base, &clause.verb), complements(clause)});
  }
  const bool inverts = form == Form::question && clause.front != Slot::subject;
  const bool yes_no =
      form == Form::question && clause.front == Slot::subject && !clause.subject.interrogates();
  VerbGroup verb = verb_group(clause, inverts || yes_no || clause.negated);
  const bool cannot =
      clause.negated && without_marks(verb.auxiliary) == "can" && !inverts && !yes_no;
  if (cannot) {
    verb.auxiliary = marked(marked("cannot", &clause.verb, Role::auxiliary), &clause.negated);
  }
  const std::string negation = clause.negated && !cannot ? marked("not", &clause.negated) : "";
  const std::string adverb = clause.frequency ? marked(clause.frequency->english, &clause.frequency)
                             : clause.completion
                                 ? marked(clause.completion->english, &clause.completion)
                                 : "";
  const std::string subject = in_english(clause.subject, Function::subject);
  const std::string front = clause.front == Slot::subject ? "" : slot(clause, clause.front);
  const std::string rest = join({negation, adverb, verb.main, complements(clause)});
  return inverts || yes_no ? join({front, verb.auxiliary, subject, rest})
                           : join({front, subject, verb.auxiliary, rest});
}

}  // namespace kette::bundled
