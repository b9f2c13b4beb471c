// The verbs: English base, past, participle, particle; German infinitive, er-form, past,
// participle, separable prefix, auxiliary (empty fields: the weak rule); frame; who does it; to
// what.
#include <vector>

#include "data/bundled/lexicon.h"

namespace kette::bundled {
namespace {

constexpr Auxiliary kSein = Auxiliary::sein;

const Preposition kFor{"for", "auf", Case::accusative};
const Preposition kAsksFor{"for", "um", Case::accusative};
const Preposition kOf{"of", "an", Case::accusative};
const Preposition kDreamsOf{"of", "von", Case::dative};
const Preposition kAbout{"about", "über", Case::accusative};
const Preposition kTo{"to", "mit", Case::dative};
const Preposition kOutOf{"out of", "aus", Case::dative};
const Preposition kWith{"with", "mit", Case::dative};

std::vector<Verb> intransitive_verbs() {
  using namespace kind;
  using namespace trait;
  constexpr Frame frame = Frame::intransitive;
  return {
      {{"sleep", "slept", "slept"},
       {"schlafen", "schläft", "schlief", "geschlafen"},
       frame,
       person | animal,
       0,
       at},
      {{"laugh"}, {"lachen"}, frame, person, 0, voice},
      {{"cry"}, {"weinen"}, frame, person, 0, voice},
      {{"dance"}, {"tanzen"}, frame, person, 0, at | company},
      {{"sing", "sang", "sung"}, {"singen", "", "sang", "gesungen"}, frame, person, 0, at | voice},
      {{"work"}, {"arbeiten"}, frame, person, 0, at | company | pace},
      {{"play"}, {"spielen"}, frame, person | animal, 0, at},
      {{"swim", "swam", "swum"},
       {"schwimmen", "", "schwamm", "geschwommen", "", kSein},
       frame,
       person | animal,
       0,
       pace},
      {{"get", "got", "got", "up"},
       {"stehen", "", "stand", "gestanden", "auf", kSein},
       frame,
       person},
      {{"wake", "woke", "woken", "up"},
       {"wachen", "", "", "", "auf", kSein},
       frame,
       person | animal},
      {{"fall", "fell", "fallen", "asleep"},
       {"schlafen", "schläft", "schlief", "geschlafen", "ein", kSein},
       frame,
       person | animal},
      {{"come", "came", "come", "back"},
       {"kommen", "", "kam", "gekommen", "zurück", kSein},
       frame,
       person | animal},
      {{"arrive"}, {"kommen", "", "kam", "gekommen", "an", kSein}, frame, person | transport},
  };
}

std::vector<Verb> other_object_verbs() {
  using namespace kind;
  using namespace trait;
  return {
      // Dative objects
      {{"help"}, {"helfen", "hilft", "half", "geholfen"}, Frame::dative, person, person},
      {{"thank"}, {"danken"}, Frame::dative, person, person},
      {{"follow"},
       {"folgen", "", "", "", "", kSein},
       Frame::dative,
       person | animal,
       person | animal},
      {{"answer"}, {"antworten"}, Frame::dative, person, person},
      {{"trust"}, {"vertrauen"}, Frame::dative, person, person, lasting},
      {{"listen", "", "", "to"}, {"hören", "", "", "", "zu"}, Frame::dative, person, person},
      {{"watch"},
       {"sehen", "sieht", "sah", "gesehen", "zu"},
       Frame::dative,
       person | animal,
       person | animal},
      {{"belong", "", "", "to"},
       {"gehören", "", "", "gehört"},
       Frame::dative,
       portable | clothing | vehicle | building,
       person,
       lasting},

      // Dative person and accusative thing
      {{"give", "gave", "given"},
       {"geben", "gibt", "gab", "gegeben"},
       Frame::ditransitive,
       person,
       food | portable},
      {{"show", "showed", "shown"},
       {"zeigen"},
       Frame::ditransitive,
       person,
       portable | text | clothing | building},
      {{"send", "sent", "sent"}, {"schicken"}, Frame::ditransitive, person, text | flat},
      {{"bring", "brought", "brought"},
       {"bringen", "", "brachte", "gebracht"},
       Frame::ditransitive,
       person,
       food | drink | portable},
      {{"lend", "lent", "lent"},
       {"leihen", "", "lieh", "geliehen"},
       Frame::ditransitive,
       person,
       vehicle | clothing | pocket},
      {{"tell", "told", "told"}, {"erzählen"}, Frame::ditransitive, person, told},
      {{"return"},
       {"geben", "gibt", "gab", "gegeben", "zurück"},
       Frame::ditransitive,
       person,
       pocket | vehicle,
       to_only},

      // Objects with a preposition
      {{"wait"}, {"warten"}, Frame::prepositional, person, person | transport, 0, &kFor},
      {{"ask"},
       {"bitten", "", "bat", "gebeten"},
       Frame::prepositional,
       person,
       drink | food,
       0,
       &kAsksFor},
      {{"think", "thought", "thought"},
       {"denken", "", "dachte", "gedacht"},
       Frame::prepositional,
       person,
       person,
       0,
       &kOf},
      {{"dream"},
       {"träumen"},
       Frame::prepositional,
       person | animal,
       person | animal | food,
       0,
       &kDreamsOf},
      {{"talk"},
       {"sprechen", "spricht", "sprach", "gesprochen"},
       Frame::prepositional,
       person,
       person | text,
       0,
       &kAbout},
      {{"talk"},
       {"sprechen", "spricht", "sprach", "gesprochen"},
       Frame::prepositional,
       person,
       person,
       0,
       &kTo},
      {{"laugh"}, {"lachen"}, Frame::prepositional, person, person | animal | told, 0, &kAbout},
      {{"play"},
       {"spielen"},
       Frame::prepositional,
       person | animal,
       child | animal | toy,
       0,
       &kWith},
  };
}

std::vector<Verb> place_verbs() {
  using namespace kind;
  using namespace trait;
  return {
      // Where
      {{"live"}, {"wohnen"}, Frame::locative, person, building | outdoors | city},
      {{"sit", "sat", "sat"},
       {"sitzen", "", "saß", "gesessen"},
       Frame::locative,
       person | animal,
       seat | outdoors | room},
      {{"stand", "stood", "stood"},
       {"stehen", "", "stand", "gestanden"},
       Frame::locative,
       person | animal | upright | vehicle,
       building | outdoors},
      {{"stand", "stood", "stood"},
       {"stehen", "", "stand", "gestanden"},
       Frame::locative,
       upright,
       surface | room},
      {{"lie", "lay", "lain"},
       {"liegen", "", "lag", "gelegen"},
       Frame::locative,
       animal | flat,
       furniture | container},
      {{"wait"}, {"warten"}, Frame::locative, person, place | city},
      {{"stay"},
       {"bleiben", "", "blieb", "geblieben", "", kSein},
       Frame::locative,
       person | animal,
       place},

      // Where to
      {{"go", "went", "gone"},
       {"gehen", "", "ging", "gegangen", "", kSein},
       Frame::directional,
       person,
       place | person,
       company},
      {{"run", "ran", "run"},
       {"laufen", "läuft", "lief", "gelaufen", "", kSein},
       Frame::directional,
       person | animal,
       outdoors | building | person},
      {{"jump"},
       {"springen", "", "sprang", "gesprungen", "", kSein},
       Frame::directional,
       animal,
       furniture},
      {{"come", "came", "come"},
       {"kommen", "", "kam", "gekommen", "", kSein},
       Frame::directional,
       person | animal,
       room | outdoors | building,
       0,
       &kOutOf},
      {{"drive", "drove", "driven"},
       {"fahren", "fährt", "fuhr", "gefahren", "", kSein},
       Frame::directional,
       gendered,
       city | outdoors,
       company},
      {{"travel"}, {"reisen", "", "", "", "", kSein}, Frame::directional, gendered, city, company},

      // Something somewhere
      {{"put", "put", "put"}, {"legen"}, Frame::causative, person, flat},
      {{"place"}, {"stellen"}, Frame::causative, person, upright},
  };
}

}  // namespace

const std::vector<Verb>& verbs() {
  static const std::vector<Verb> table = [] {
    std::vector<Verb> all;
    for (const auto& part :
         {intransitive_verbs(), accusative_verbs(), other_object_verbs(), place_verbs()}) {
      all.insert(all.end(), part.begin(), part.end());
    }
    return all;
  }();
  return table;
}

const Verb& verb_be() {
  static const Verb row{{"be", "was", "been"}, sein(), Frame::copula, kind::any, 0, trait::stative};
  return row;
}

const Verb& verb_know() {
  static const Verb row{{"know", "knew", "known"},
                        {"wissen", "weiß", "wusste", "gewusst"},
                        Frame::intransitive,
                        kind::person,
                        0,
                        trait::stative};
  return row;
}

const Verb& verb_ask() {
  static const Verb row{{"ask"}, {"fragen"}, Frame::intransitive, kind::person};
  return row;
}

const std::vector<Verb>& reporting_verbs() {
  static const std::vector<Verb> table = {
      {{"say", "said", "said"}, {"sagen"}, Frame::intransitive, kind::person},
      {{"believe"}, {"glauben"}, Frame::intransitive, kind::person, 0, trait::lasting},
      {{"hope"}, {"hoffen"}, Frame::intransitive, kind::person, 0, trait::lasting},
      {{"see", "saw", "seen"},
       {"sehen", "sieht", "sah", "gesehen"},
       Frame::intransitive,
       kind::person},
      verb_know(),
  };
  return table;
}

const std::vector<Verb>& infinitive_verbs() {
  static const std::vector<Verb> table = {
      {{"try", "tried", "tried"}, {"versuchen"}, Frame::intransitive, kind::person},
      {{"hope"}, {"hoffen"}, Frame::intransitive, kind::person, 0, trait::lasting},
      {{"begin", "began", "begun"},
       {"beginnen", "", "begann", "begonnen"},
       Frame::intransitive,
       kind::person},
      {{"promise"},
       {"versprechen", "verspricht", "versprach", "versprochen"},
       Frame::intransitive,
       kind::person},
      {{"forget", "forgot", "forgotten"},
       {"vergessen", "vergisst", "vergaß", "vergessen"},
       Frame::intransitive,
       kind::person},
  };
  return table;
}

const GermanVerb& haben() {
  static const GermanVerb row{"haben", "hat", "hatte", "gehabt"};
  return row;
}

const GermanVerb& sein() {
  static const GermanVerb row{"sein", "ist", "war", "gewesen", "", kSein, "bin", "bist"};
  return row;
}

const GermanVerb& werden() {
  static const GermanVerb row{"werden", "wird", "wurde", "geworden", "", kSein, "werde", "wirst"};
  return row;
}

}  // namespace kette::bundled
