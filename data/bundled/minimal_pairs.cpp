#include "data/bundled/minimal_pairs.h"

#include <set>

#include "data/bundled/lexicon.h"
#include "data/bundled/sampler.h"
#include "tensor/error.h"

namespace kette::bundled {
namespace {

/// A sentence as in the corpus: with a capital and a full stop.
SentencePair sentence(const Clause& clause) {
  return {finished(in_english(clause, Form::statement), '.'),
          finished(in_german(clause, Order::second), '.')};
}

/// he or she, if nothing else in the sentence shows which.
NounPhrase he_or_she(Gender gender) {
  NounPhrase phrase;
  phrase.head = NounPhrase::Head::personal;
  phrase.animate = true;
  phrase.who.person = Person::third;
  phrase.who.gender = gender;
  return phrase;
}

const Adverb& completion(const std::string& english) {
  for (const Adverb& adverb : completions()) {
    if (adverb.english == english) return adverb;
  }
  fail("minimal pairs: expected \"", english, "\" among the adverbs, given none");
}

/// A clause that shows the contrast, and the same clause with the other value.
std::pair<Clause, Clause> contrasted(Sampler& sampler, Contrast contrast) {
  Wish wish{.may_negate = false, .may_have_time = false, .may_front_time = false, .plain = true};
  wish.tense = Tense::present;
  NounPhrase subject = sampler.definite(kind::person, true, kind::name | kind::kin);
  subject.number = Number::singular;
  subject.determiner = Determiner::definite;
  if (contrast == Contrast::gender) subject = he_or_she(Gender::masculine);
  wish.subject = subject;
  Clause one = sampler.clause(wish);
  one.frequency = one.completion = nullptr;
  one.tense = Tense::present;
  Clause other = one;
  switch (contrast) {
    case Contrast::number:
      other.subject.number = Number::plural;
      break;
    case Contrast::gender:
      other.subject = he_or_she(Gender::feminine);
      break;
    case Contrast::tense:
      other.tense = Tense::past;
      break;
    case Contrast::negation:
      one.tense = other.tense = Tense::perfect;
      one.completion = &completion("already");
      other.completion = &completion("never");
      break;
  }
  return {one, other};
}

}  // namespace

std::vector<MinimalPair> minimal_pairs(Contrast contrast, std::size_t count, std::uint64_t seed) {
  std::vector<MinimalPair> pairs;
  std::set<std::string> seen;
  for (std::uint64_t drawn = 0; pairs.size() < count; ++drawn) {
    KETTE_CHECK(drawn < 100 * count + 100000, "minimal pairs: expected at most ", pairs.size(),
                ", as many as the grammar makes, given ", count);
    Sampler sampler(splitmix64(seed) + drawn);
    const auto [one, other] = contrasted(sampler, contrast);
    MinimalPair pair{sentence(one), sentence(other)};
    if (pair.one.english == pair.other.english || pair.one.german == pair.other.german) continue;
    if (words_of(pair.one.english).size() != words_of(pair.other.english).size()) continue;
    if (seen.insert(pair.one.english).second) pairs.push_back(std::move(pair));
  }
  return pairs;
}

}  // namespace kette::bundled
