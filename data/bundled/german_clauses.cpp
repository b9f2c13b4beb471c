// German word order: the verb and its bracket around the middle field.
#include "data/bundled/german_morphology.h"
#include "data/bundled/lexicon.h"
#include "data/bundled/marks.h"
#include "data/bundled/syntax.h"

namespace kette::bundled {
namespace {

using Words = std::vector<std::string>;

/// A verb group: the part in second position of a main clause, the part that closes the clause, and
/// both together at the end of a subordinate clause (macht ... auf; aufmacht).
struct GermanVerbGroup {
  std::string finite, bracket, last;
};

/// A form of the verb with its prefix, if it has one.
std::string whole(const Clause& clause, const std::string& form) {
  const std::string word = marked(form, &clause.verb);
  const bool prefixed = !clause.verb->german.prefix.empty();
  return prefixed ? marked(word, &clause.verb, Role::particle) : word;
}

/// What modals and werden govern: the bare infinitive, or in the passive participle + werden.
std::string governed_infinitive(const Clause& clause) {
  const GermanVerb& verb = clause.verb->german;
  return clause.passive ? whole(clause, german::participle(verb)) + " " +
                              marked("werden", &clause.verb, Role::be)
                        : whole(clause, german::infinitive(verb));
}

GermanVerbGroup with_auxiliary(const std::string& auxiliary, const std::string& rest) {
  return {auxiliary, rest, rest + " " + auxiliary};
}

GermanVerbGroup verb_group(const Clause& clause) {
  const GermanVerb& verb = clause.verb->german;
  const Agreement subject = agreement(clause.subject);
  const bool past = clause.tense == Tense::past;
  const auto present = [&](const GermanVerb& which) {
    return marked(german::present(which, subject), &clause.verb, Role::auxiliary);
  };
  const auto simple = [&](const GermanVerb& which, Role role = Role::auxiliary) {
    return marked(past ? german::past(which, subject) : german::present(which, subject),
                  &clause.verb, role);
  };
  if (clause.modal) {
    const GermanVerb& modal = clause.modal->german;
    return with_auxiliary(clause.modal->subjunctive
                              ? marked(german::past(modal, subject), &clause.verb, Role::auxiliary)
                              : simple(modal),
                          governed_infinitive(clause));
  }
  if (clause.tense == Tense::future) {
    return with_auxiliary(simple(werden()), governed_infinitive(clause));
  }
  if (clause.passive) {
    // The passive perfect: ist ... gekauft worden.
    const std::string participle = whole(clause, german::participle(verb));
    return clause.tense == Tense::perfect
               ? with_auxiliary(present(sein()),
                                participle + " " + marked("worden", &clause.verb, Role::be))
               : with_auxiliary(simple(werden()), participle);
  }
  if (clause.tense == Tense::perfect) {
    // Verbs of motion and change form the perfect with sein.
    const GermanVerb& auxiliary = verb.auxiliary == Auxiliary::sein ? sein() : haben();
    return with_auxiliary(present(auxiliary), whole(clause, german::participle(verb)));
  }
  const std::string finite = simple(verb, Role::word);
  const std::string prefix = marked(verb.prefix, &clause.verb, Role::particle);
  return {finite, prefix, prefix + finite};
}

Case object_case(const Clause& clause) {
  return clause.verb->frame == Frame::dative ? Case::dative : Case::accusative;
}

/// "kein" negates an indefinite object, "nicht" everything else.
bool negated_by_kein(const Clause& clause) {
  return clause.negated && clause.direct && clause.direct->indefinite();
}

std::string direct_object(const Clause& clause) {
  const NounPhrase& object = *clause.direct;
  const Case grammatical_case = object_case(clause);
  if (!negated_by_kein(clause)) {
    return in_german(object, grammatical_case, object.determiner, false);
  }
  std::string text = in_german(object, grammatical_case, Determiner::negative, false);
  const auto end_of_kein = static_cast<std::ptrdiff_t>(text.find(' '));
  return marked({text.begin(), text.begin() + end_of_kein}, &clause.negated) +
         text.substr(static_cast<std::size_t>(end_of_kein));
}

std::string german_predicate(const Clause& clause) {
  const Predicate& what = *clause.predicate;
  if (what.noun) {
    // Professions stand without an article unless an adjective comes with them: ist Lehrer.
    const NounPhrase& noun = *what.noun;
    const bool bare = noun.noun->is(kind::profession) && !noun.adjective &&
                      noun.determiner == Determiner::indefinite;
    return in_german(noun, Case::nominative, bare ? Determiner::none : noun.determiner);
  }
  const bool equal = what.compared_to && what.degree == Degree::positive;
  Words words = {what.german_measure, equal ? marked("so", &what.degree) : "",
                 marked(german::compare(*what.adjective, what.degree), &what.adjective)};
  if (what.compared_to) {
    words.push_back(marked(equal ? "wie" : "als", &what.compared_to));
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
      return marked(clause.time->german, &clause.time);
    case Slot::question:
      return marked(clause.question->german, &clause.question);
  }
  return "";
}

/// Pronouns, then time, then the recipient, then the thing; known things before nicht, nie and
/// schon, new ones after; manner, company and goal last: "Time, manner, place".
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
  if (clause.time && clause.front != Slot::time) words.push_back(german_slot(clause, Slot::time));
  if (clause.tense == Tense::progressive) {
    words.push_back(marked("gerade", &clause.verb, Role::ongoing));
  }
  if (clause.frequency) words.push_back(marked(clause.frequency->german, &clause.frequency));
  if (clause.gladly) words.push_back(marked("gern", &clause.verb, Role::gladly));
  if (has_indirect && !light_indirect) words.push_back(german_slot(clause, Slot::indirect));
  if (has_direct && !light_direct && !late_direct) words.push_back(direct);
  if (clause.completion) words.push_back(marked(clause.completion->german, &clause.completion));
  if (clause.negated && !negated_by_kein(clause)) {
    words.push_back(marked("nicht", &clause.negated));
  }
  if (late_direct) words.push_back(direct);
  if (clause.manner) words.push_back(marked(clause.manner->german, &clause.manner));
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
    return join({marked(german::imperative(verb), &clause.verb), middle,
                 marked(verb.prefix, &clause.verb, Role::particle)});
  }
  if (order == Order::infinitive) {
    const GermanVerb& verb = clause.verb->german;
    const std::string infinitive = german::zu_infinitive(verb);
    return join({middle, verb.prefix.empty()
                             ? marked("zu", &clause.verb, Role::to) + " " +
                                   marked(verb.infinitive, &clause.verb)
                             : marked(whole(clause, infinitive), &clause.verb, Role::to)});
  }
  const GermanVerbGroup verb = verb_group(clause);
  const std::string subject = german_slot(clause, Slot::subject);
  const std::string front = german_slot(clause, clause.front);
  const std::string later_subject = clause.front == Slot::subject ? "" : subject;
  // The relative clause of an object follows the bracket: lädt den Mann ein, der singt.
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
