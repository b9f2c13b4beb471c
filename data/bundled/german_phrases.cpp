// German noun and preposition phrases.
#include "data/bundled/german_morphology.h"
#include "data/bundled/lexicon.h"
#include "data/bundled/marks.h"
#include "data/bundled/syntax.h"

namespace kette::bundled {
namespace {

using german::Declension;
using german::Features;

std::string determiner(const NounPhrase& phrase, Determiner which, Features features) {
  switch (which) {
    case Determiner::none:
      return "";
    case Determiner::definite:
      return german::article(features);
    case Determiner::indefinite:
      return features.number == Number::plural ? "" : german::ein_word("ein", features);
    case Determiner::negative:
      return german::ein_word("kein", features);
    case Determiner::demonstrative:
      return german::der_word("dies", features);
    case Determiner::every:
      return german::der_word("jed", features);
    case Determiner::which:
      return german::der_word("welch", features);
    case Determiner::possessive:
      return german::ein_word(german::possessive_stem(phrase.who), features);
    case Determiner::some:
      return german::der_word("einig", features);
    case Determiner::many:
      return german::der_word("viel", features);
    case Determiner::number:
      return german_number(phrase.count);
    case Determiner::how_many:
      return german::der_word("wie viel", features);
    case Determiner::whose:
      return "wessen";
    case Determiner::relative_whose: {
      const Features owner{phrase.who.gender, phrase.who.number, Case::genitive};
      return german::relative_pronoun(owner);
    }
  }
  return "";
}

Declension declension(Determiner determiner) {
  switch (determiner) {
    case Determiner::definite:
    case Determiner::demonstrative:
    case Determiner::every:
    case Determiner::which:
      return Declension::weak;
    case Determiner::indefinite:
    case Determiner::negative:
    case Determiner::possessive:
      return Declension::mixed;
    default:
      return Declension::strong;
  }
}

std::string pronoun(const NounPhrase& phrase, Case grammatical_case) {
  if (phrase.head == NounPhrase::Head::understood) return "";
  if (phrase.head == NounPhrase::Head::personal) {
    return german::personal_pronoun(phrase.who, grammatical_case);
  }
  if (phrase.head == NounPhrase::Head::relative) {
    return german::relative_pronoun({phrase.who.gender, phrase.who.number, grammatical_case});
  }
  if (!phrase.animate) return "was";
  return grammatical_case == Case::nominative   ? "wer"
         : grammatical_case == Case::accusative ? "wen"
                                                : "wem";
}

}  // namespace

Agreement agreement(const NounPhrase& phrase) {
  if (phrase.partner) return {Person::third, Number::plural, Gender::masculine};
  if (phrase.head == NounPhrase::Head::interrogative) return {};
  if (phrase.head != NounPhrase::Head::noun) return phrase.who;
  return {Person::third, phrase.number, phrase.noun->gender};
}

std::string in_german(const NounPhrase& phrase, Case grammatical_case) {
  return in_german(phrase, grammatical_case, phrase.determiner);
}

std::string in_german(const NounPhrase& phrase, Case grammatical_case, Determiner which,
                      bool with_relative) {
  std::vector<std::string> words;
  if (phrase.head != NounPhrase::Head::noun) {
    words = {marked(pronoun(phrase, grammatical_case), &phrase.head)};
  } else {
    const Features features{phrase.noun->gender, phrase.number, grammatical_case};
    // The bare plural of the indefinite article leaves the strong ending to the adjective.
    const bool bare_plural = which == Determiner::indefinite && phrase.number == Number::plural;
    const Declension ending = bare_plural ? Declension::strong : declension(which);
    words = {marked(determiner(phrase, which, features), &phrase.determiner)};
    if (phrase.adjective) {
      words.push_back(marked(german::adjective(*phrase.adjective, phrase.degree, ending, features),
                             &phrase.adjective));
    }
    words.push_back(
        marked(german::decline(*phrase.noun, phrase.number, grammatical_case), &phrase.noun));
  }
  if (phrase.owner) words.push_back(in_german(*phrase.owner, Case::genitive));
  if (phrase.partner) {
    words.push_back(marked("und", &phrase.partner));
    words.push_back(in_german(*phrase.partner, grammatical_case));
  }
  std::string text = join(words);
  if (phrase.relative && with_relative)
    text += ", " + in_german(*phrase.relative, Order::last) + ",";
  return text;
}

std::string in_german(const PrepositionPhrase& phrase) {
  const NounPhrase& object = phrase.object;
  const std::string word = phrase.preposition->german;
  const auto with = [&](const std::string& preposition, const std::string& text) {
    return marked(preposition, &phrase.preposition) + " " + text;
  };
  const std::string text = in_german(object, phrase.preposition->governs);
  if (object.head == NounPhrase::Head::noun && object.noun->is(kind::city)) {
    return with(word == "zu" ? "nach" : word, text);
  }
  if (object.head == NounPhrase::Head::noun && object.determiner == Determiner::definite &&
      !object.noun->is(kind::name)) {
    // in dem -> im, in das -> ins, zu dem -> zum, zu der -> zur, von dem -> vom
    struct Contraction {
      const char *preposition, *article, *together;
    };
    static constexpr Contraction contractions[] = {
        {"in", "dem", "im"},  {"in", "das", "ins"},  {"zu", "dem", "zum"},
        {"zu", "der", "zur"}, {"von", "dem", "vom"},
    };
    for (const Contraction& row : contractions) {
      const std::string article = marked(row.article, &object.determiner) + " ";
      if (word == row.preposition && text.starts_with(article)) {
        return with(marked(row.together, &object.determiner), text.substr(article.size()));
      }
    }
  }
  return with(word, text);
}

std::string join(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    if (word.empty()) continue;
    if (!text.empty()) text += ' ';
    text += word;
  }
  return text;
}

}  // namespace kette::bundled
