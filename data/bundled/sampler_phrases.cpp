// Choosing noun phrases: a head of the right kind, a determiner, sometimes an adjective or an
// owner.
#include <algorithm>

#include "data/bundled/lexicon.h"
#include "data/bundled/sampler.h"

namespace kette::bundled {
namespace {

constexpr Number kSingular = Number::singular;
constexpr Number kPlural = Number::plural;

NounPhrase personal(Person person, Number number, Gender gender = Gender::masculine) {
  NounPhrase phrase;
  phrase.head = NounPhrase::Head::personal;
  phrase.who = {person, number, gender};
  phrase.animate = true;
  return phrase;
}

/// I, you, he, she, we, they; "you" is always the one friend one calls du.
const std::vector<NounPhrase>& pronouns() {
  static const std::vector<NounPhrase> all = {
      personal(Person::first, kSingular),
      personal(Person::second, kSingular),
      personal(Person::third, kSingular, Gender::masculine),
      personal(Person::third, kSingular, Gender::feminine),
      personal(Person::first, kPlural),
      personal(Person::third, kPlural),
  };
  return all;
}

/// Kinship and belongings take my, your, his; kings and forests do not.
bool may_be_owned(const Noun& noun) {
  using namespace kind;
  return noun.is(kin | fellow | animal | portable | clothing | vehicle | furniture | room | food |
                 drink);
}

/// A girl may be es or sie, so nothing in this corpus refers back to her.
bool may_own(const NounPhrase& phrase) {
  const bool named = phrase.head == NounPhrase::Head::noun || phrase.pronoun();
  return named && !phrase.partner &&
         !(phrase.noun && phrase.number == kSingular &&
           phrase.noun->is(kind::child | kind::animal));
}

template <class Row, class Fits>
const Row& pick_fitting(Random& random, const std::vector<Row>& table, Fits fits) {
  const auto count = static_cast<std::size_t>(std::count_if(table.begin(), table.end(), fits));
  std::size_t wanted = random.below(count);
  return *std::find_if(table.begin(), table.end(),
                       [&](const Row& row) { return fits(row) && wanted-- == 0; });
}

}  // namespace

Kinds kinds_of(const NounPhrase& phrase) {
  return phrase.noun ? phrase.noun->kinds : kind::gendered;
}

NounPhrase pronoun_for(const NounPhrase& antecedent) {
  if (antecedent.pronoun()) return antecedent;
  NounPhrase pronoun;
  pronoun.head = NounPhrase::Head::personal;
  pronoun.who = agreement(antecedent);
  pronoun.animate = (kinds_of(antecedent) & kind::person) != 0;
  return pronoun;
}

const Noun& Sampler::noun(Kinds kinds, Kinds except) {
  return pick_fitting(random_, nouns(),
                      [&](const Noun& row) { return row.is(kinds) && !row.is(except); });
}

const Verb& Sampler::verb(Kinds subjects, const std::vector<Frame>& frames, Kinds objects,
                          const std::function<bool(const Verb&)>& fits) {
  return pick_fitting(random_, verbs(), [&](const Verb& row) {
    const bool framed = std::find(frames.begin(), frames.end(), row.frame) != frames.end();
    const bool takes = objects == kind::any || (row.objects & objects) != 0;
    return framed && takes && (row.subjects & subjects) != 0 && (!fits || fits(row));
  });
}

const Adjective& Sampler::adjective(Kinds kinds, bool gradable, Kinds marked) {
  return pick_fitting(random_, adjectives(), [&](const Adjective& row) {
    return (row.kinds & kinds) != 0 && (row.kinds & marked) != 0 && (row.gradable || !gradable);
  });
}

void Sampler::describe(NounPhrase& phrase, unsigned percent) {
  const Noun& noun = *phrase.noun;
  if (noun.is(kind::name | kind::city | kind::means) || !random_.chance(percent)) return;
  const auto fits = [&](const Adjective& row) { return (row.kinds & noun.kinds) != 0; };
  if (std::none_of(adjectives().begin(), adjectives().end(), fits)) return;
  phrase.adjective = &adjective(noun.kinds);
  // The cheapest lamp, a cheaper lamp.
  if (phrase.adjective->gradable && noun.countable() && random_.chance(15)) {
    if (phrase.determiner == Determiner::definite) phrase.degree = Degree::superlative;
    const bool one = phrase.number == kSingular;
    if (phrase.determiner == Determiner::indefinite && one) phrase.degree = Degree::comparative;
  }
}

NounPhrase Sampler::definite(Kinds kinds, bool plain, Kinds except) {
  NounPhrase phrase;
  phrase.noun = &noun(kinds, except);
  if (phrase.noun->is(kind::name | kind::city)) {
    phrase.determiner = Determiner::none;
    return phrase;
  }
  if (phrase.noun->countable() && random_.chance(20)) phrase.number = kPlural;
  if (!plain) describe(phrase, 25);
  return phrase;
}

NounPhrase Sampler::antecedent() {
  NounPhrase phrase = definite(kind::gendered);
  if (phrase.noun->is(kind::kin | kind::fellow) && random_.chance(50)) {
    phrase.determiner = Determiner::possessive;
    phrase.who = {Person::first, random_.chance(70) ? kSingular : kPlural, Gender::masculine};
    if (phrase.degree == Degree::superlative) phrase.degree = Degree::positive;
  }
  return phrase;
}

NounPhrase Sampler::person(bool plain) {
  if (random_.chance(26)) return random_.pick(pronouns());
  if (random_.chance(6)) {
    NounPhrase pair = definite(kind::person, true, kind::name);
    const NounPhrase partner = definite(kind::person, true, kind::name);
    if (pair.noun == partner.noun) return pair;
    pair.partner = std::make_shared<NounPhrase>(partner);
    return pair;
  }
  NounPhrase phrase = definite(kind::person, true);
  if (phrase.determiner == Determiner::none) return phrase;
  const unsigned roll = static_cast<unsigned>(random_.below(100));
  const bool plural = phrase.number == kPlural;
  const bool family = phrase.noun->is(kind::kin);
  if (phrase.noun->is(kind::kin | kind::fellow) && roll < 55) {
    static const std::vector<std::size_t> owners = {0, 0, 1, 2, 3, 4, 5};
    phrase.determiner = Determiner::possessive;
    phrase.who = pronouns()[random_.pick(owners)].who;
  } else if (family) {
    phrase.determiner = Determiner::definite;
  } else if (plural && roll < 70) {
    phrase.determiner = roll < 56   ? Determiner::number
                        : roll < 63 ? Determiner::many
                                    : Determiner::some;
    phrase.count = 2 + static_cast<int>(random_.below(4));
  } else if (roll > 92) {
    phrase.determiner = Determiner::demonstrative;
  } else if (!plural && roll > 87) {
    phrase.determiner = Determiner::every;
  } else if (!plural && roll > 80) {
    phrase.determiner = Determiner::indefinite;
  }
  if (!plain) describe(phrase, phrase.determiner == Determiner::every ? 0 : 25);
  return phrase;
}

NounPhrase Sampler::subject_of(const Verb& verb, bool plain) {
  // Most stories are about people, even where animals could step in.
  const Kinds people = verb.subjects & kind::person;
  const Kinds others = verb.subjects & ~kind::person;
  if (people != 0 && (others == 0 || random_.chance(60))) {
    NounPhrase phrase = person(plain);
    while ((kinds_of(phrase) & people) == 0) phrase = person(plain);
    return phrase;
  }
  NounPhrase phrase = definite(others, plain);
  if (random_.chance(15)) {
    phrase.determiner = Determiner::demonstrative;
    if (phrase.degree == Degree::superlative) phrase.degree = Degree::positive;
  } else if (phrase.number == kSingular && random_.chance(12) && !phrase.adjective) {
    NounPhrase owner = definite(kind::kin, true);
    owner.number = kSingular;
    owner.determiner = Determiner::possessive;
    owner.who = pronouns()[random_.below(2)].who;
    phrase.owner = std::make_shared<NounPhrase>(owner);
  }
  return phrase;
}

NounPhrase Sampler::object_pronoun(const NounPhrase& owner) {
  NounPhrase phrase = random_.pick(pronouns());
  // "I see me" would be reflexive in German; "he sees him" is about two men.
  while (phrase.who.person != Person::third && phrase.who.person == agreement(owner).person) {
    phrase = random_.pick(pronouns());
  }
  return phrase;
}

NounPhrase Sampler::object(Kinds kinds, const NounPhrase& owner, bool plain) {
  if ((kinds & kind::person) == kind::person && random_.chance(20)) return object_pronoun(owner);
  NounPhrase phrase = definite(kinds, true);
  while (phrase.noun == owner.noun) phrase = definite(kinds, true);
  if (phrase.noun->is(kind::name | kind::city)) return phrase;

  if (phrase.noun->is(kind::place | kind::furniture)) phrase.number = kSingular;
  const bool plural = phrase.number == kPlural;
  const unsigned roll = static_cast<unsigned>(random_.below(100));
  if (phrase.noun->is(kind::means)) {
    phrase.determiner = Determiner::none;
  } else if (phrase.noun->is(kind::kin)) {
    // One speaks of "my aunt" or "the aunt", hardly of "an aunt" or "nine aunts".
    phrase.determiner = roll < 60 && may_own(owner) ? Determiner::possessive : Determiner::definite;
    phrase.who = agreement(owner);
  } else if (roll < 26) {
    phrase.determiner = phrase.noun->countable() ? Determiner::indefinite : Determiner::none;
  } else if (roll < 40 && may_be_owned(*phrase.noun) && may_own(owner)) {
    phrase.determiner = Determiner::possessive;
    phrase.who = agreement(owner);
  } else if (roll < 46) {
    phrase.determiner = Determiner::demonstrative;
  } else if (plural && roll < 75) {
    static const std::vector<int> counts = {2,  3,  4,  5,  6,  7,  8,  9,
                                            10, 11, 12, 15, 20, 30, 50, 100};
    phrase.determiner = roll < 63   ? Determiner::number
                        : roll < 69 ? Determiner::many
                                    : Determiner::some;
    phrase.count = phrase.noun->is(kind::person) ? 2 + static_cast<int>(random_.below(4))
                                                 : random_.pick(counts);
  }
  if (!plain) describe(phrase, 32);
  if (!plain && !plural && !phrase.adjective && phrase.determiner == Determiner::definite &&
      phrase.noun->is(kind::portable | kind::animal | kind::vehicle) && random_.chance(14)) {
    NounPhrase other = definite(kind::gendered, true, kind::name);
    other.number = kSingular;
    if (other.noun != owner.noun) phrase.owner = std::make_shared<NounPhrase>(other);
  }
  return phrase;
}

}  // namespace kette::bundled
