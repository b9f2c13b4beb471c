// German word order: the verb and its bracket around the middle field.
#include "data/bundled/german_morphology.h"
#include "data/bundled/lexicon.h"
#include "data/bundled/syntax.h"

namespace kette::bundled {
namespace {

using Words = std::vector<std::string>;

/// A verb group: what stands second in a main clause, what closes it, and how both meet at the
/// end of a subordinate clause (macht ... auf; aufmacht).
struct GermanVerbGroup {
  std::string finite, bracket, last;
};

/// What modals and werden govern: the bare infinitive, or in the passive participle + werden.
std::string governed_infinitive(const Clause& clause) {
  const GermanVerb& verb = clause.verb->german;
  return clause.passive ? german::participle(verb) + " werden" : german::infinitive(verb);
}

GermanVerbGroup with_auxiliary(const std::string& auxiliary, const std::string& rest) {
  return {auxiliary, rest, rest + " " + auxiliary};
}

GermanVerbGroup verb_group(const Clause& clause) {
  const GermanVerb& verb = clause.verb->german;
  const Agreement subject = agreement(clause.subject);
  const bool past = clause.tense == Tense::past;
  const auto simple = [&](const GermanVerb& which) {
    return past ? german::past(which, subject) : german::present(which, subject);
  };
  if (clause.modal) {
    const GermanVerb& modal = clause.modal->german;
    return with_auxiliary(clause.modal->subjunctive ? german::past(modal, subject) : simple(modal),
                          governed_infinitive(clause));
  }
  if (clause.tense == Tense::future) {
    return with_auxiliary(simple(werden()), governed_infinitive(clause));
  }
  if (clause.passive) {
    // The passive perfect: ist ... gekauft worden.
    const std::string participle = german::participle(verb);
    return clause.tense == Tense::perfect
               ? with_auxiliary(german::present(sein(), subject), participle + " worden")
               : with_auxiliary(simple(werden()), participle);
  }
  if (clause.tense == Tense::perfect) {
    // Verbs of motion and change form the perfect with sein.
    const GermanVerb& auxiliary = verb.auxiliary == Auxiliary::sein ? sein() : haben();
    return with_auxiliary(german::present(auxiliary, subject), german::participle(verb));
  }
  const std::string finite = simple(verb);
  return {finite, verb.prefix, verb.prefix + finite};
}

Case object_case(const Clause& clause) {
  return clause.verb->frame == Frame::dative ? Case::dative : Case::accusative;
}

/// "kein" negates an indefinite object, "nicht" everything else.
bool negated_by_kein(const Clause& clause) {
  return clause.negated && clause.direct && clause.direct->indefinite();
}

std::string direct_object(const Clause& clause) {
  NounPhrase object = *clause.direct;
  if (negated_by_kein(clause)) object.determiner = Determiner::negative;
  object.relative = nullptr;
  return in_german(object, object_case(clause));
}

std::string german_predicate(const Clause& clause) {
  const Predicate& what = *clause.predicate;
  if (what.noun) {
    // Professions stand without an article unless an adjective comes with them: ist Lehrer.
    NounPhrase noun = *what.noun;
    if (noun.noun->is(kind::profession) && !noun.adjective &&
        noun.determiner == Determiner::indefinite) {
      noun.determiner = Determiner::none;
    }
    return in_german(noun, Case::nominative);
  }
  const bool equal = what.compared_to && what.degree == Degree::positive;
  Words words = {what.german_measure, equal ? "so" : "",
                 german::compare(*what.adjective, what.degree)};
  if (what.compared_to) {
    words.push_back(equal ? "wie" : "als");
    words.push_back(in_german(*what.compared_to, Case::nominative));
  }
  return join(words);
}

std::string german_slot(const Clause& clause, Slot which) {
  switch (which) {
    case Slot::subject:
      return in_german(clause.subject, Case::nominative);
    case Slot::direct:
      return direct_object(clause);
    case Slot::indirect:
      return in_german(*clause.indirect, Case::dative);
    case Slot::oblique:
      return in_german(*clause.oblique);
    case Slot::time:
      return clause.time->german;
    case Slot::question:
      return clause.question->german;
  }
  return "";
}

/// Pronouns, then time, then the recipient, then the thing; known things before nicht, nie and
/// schon, new ones behind; manner, company and goal last: "Time, manner, place".
std::string middle_field(const Clause& clause) {
  const bool has_direct = clause.direct && clause.front != Slot::direct;
  const bool has_indirect = clause.indirect && clause.front != Slot::indirect;
  const bool light_direct = has_direct && clause.direct->pronoun();
  const bool light_indirect = has_indirect && clause.indirect->pronoun();
  const bool late_direct = has_direct && clause.direct->new_to_listener();
  const std::string direct = has_direct ? direct_object(clause) : "";

  Words words;
  if (light_direct) words.push_back(direct);
  if (light_indirect) words.push_back(german_slot(clause, Slot::indirect));
  if (clause.time && clause.front != Slot::time) words.push_back(clause.time->german);
  if (clause.tense == Tense::progressive) words.push_back("gerade");
  if (clause.frequency) words.push_back(clause.frequency->german);
  if (clause.gladly) words.push_back("gern");
  if (has_indirect && !light_indirect) words.push_back(german_slot(clause, Slot::indirect));
  if (has_direct && !light_direct && !late_direct) words.push_back(direct);
  if (clause.completion) words.push_back(clause.completion->german);
  if (clause.negated && !negated_by_kein(clause)) words.push_back("nicht");
  if (late_direct) words.push_back(direct);
  if (clause.manner) words.push_back(clause.manner->german);
  if (clause.company) words.push_back(in_german(*clause.company));
  if (clause.oblique && clause.front != Slot::oblique) words.push_back(in_german(*clause.oblique));
  if (clause.predicate) words.push_back(german_predicate(clause));
  return join(words);
}

}  // namespace

std::string in_german(const Clause& clause, Order order) {
  const std::string middle = middle_field(clause);
  if (order == Order::imperative) {
    const GermanVerb& verb = clause.verb->german;
    return join({german::imperative(verb), middle, verb.prefix});
  }
  if (order == Order::infinitive) {
    return join({middle, german::zu_infinitive(clause.verb->german)});
  }
  const GermanVerbGroup verb = verb_group(clause);
  const std::string subject = german_slot(clause, Slot::subject);
  const std::string front = german_slot(clause, clause.front);
  const std::string later_subject = clause.front == Slot::subject ? "" : subject;
  // The relative clause of an object waits behind the bracket: lädt den Mann ein, der singt.
  const std::string relative = clause.direct && clause.direct->relative
                                   ? ", " + in_german(*clause.direct->relative, Order::last) + ","
                                   : "";
  switch (order) {
    case Order::second:
      return join({front, verb.finite, later_subject, middle, verb.bracket}) + relative;
    case Order::first:
      return join({verb.finite, subject, middle, verb.bracket}) + relative;
    default:
      return join({front, later_subject, middle, verb.last}) + relative;
  }
}

}  // namespace kette::bundled
