// Entries of the lexicon. A row has the forms that no rule can derive; an empty field means "by the
// rule" (german_morphology.h, english_morphology.h). `kinds` says what a noun denotes; verbs and
// adjectives name the kinds that they go with, so that nobody reads the cheese.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kette::bundled {

enum class Gender { masculine, feminine, neuter };
enum class Number { singular, plural };
enum class Person { first, second, third };
enum class Case { nominative, accusative, dative, genitive };
enum class Degree { positive, comparative, superlative };
enum class Tense { present, progressive, past, perfect, future };

struct Agreement {
  Person person = Person::third;
  Number number = Number::singular;
  Gender gender = Gender::masculine;
};

using Kinds = std::uint64_t;

namespace kind {
/// Names of the kinds in the tables, one bit each. gendered: clearly he or she. child (das Kind,
/// das Mädchen): no pronoun refers to it. kin: "my brother". fellow: "my neighbor", but also "a
/// neighbor". boy: neither rich nor married. served: hot, warm or cold. written: by a private
/// person, as a letter, not a newspaper. upright (steht, wird gestellt), flat (liegt, wird gelegt).
/// electric: can be switched on. transport: one waits for it. extent: long or short. pocket: small
/// enough to lose. drawable: a subject for a painter. city: a proper name. means (time, money): one
/// has, needs or lacks it. telling, of an adjective: a reason to do something.
inline constexpr std::string_view kNames =
    "gendered child kin profession name animal "
    "food drink cooked baked sweet served fresh "
    "text written told clothing upright flat device electric vehicle transport opening toy "
    "seat surface container room outdoors building city "
    "coloured heavy breakable hollow washable extent pocket drawable boy means fellow telling";

/// An unknown name does not compile.
consteval Kinds named(std::string_view name) {
  Kinds bit = 1;
  for (std::string_view rest = kNames; rest.substr(0, rest.find(' ')) != name; bit <<= 1) {
    if (rest.find(' ') == std::string_view::npos) throw name;
    rest.remove_prefix(rest.find(' ') + 1);
  }
  return bit;
}

inline constexpr Kinds gendered = named("gendered"), child = named("child"), kin = named("kin"),
                       profession = named("profession"), name = named("name"),
                       animal = named("animal"), boy = named("boy"), fellow = named("fellow");
inline constexpr Kinds food = named("food"), drink = named("drink"), served = named("served"),
                       text = named("text"), clothing = named("clothing"),
                       upright = named("upright"), device = named("device"),
                       vehicle = named("vehicle"), transport = named("transport"),
                       opening = named("opening"), container = named("container"),
                       drawable = named("drawable"), means = named("means");
inline constexpr Kinds seat = named("seat"), surface = named("surface"), room = named("room"),
                       outdoors = named("outdoors"), building = named("building"),
                       city = named("city"), telling = named("telling");

// Several at once.
inline constexpr Kinds person = gendered | child;
inline constexpr Kinds portable = upright | named("flat");
inline constexpr Kinds furniture = seat | surface;
inline constexpr Kinds goods = food | clothing | portable | vehicle | device;
inline constexpr Kinds place = room | outdoors | building;
inline constexpr Kinds thing = goods | drink | text | furniture | opening;
inline constexpr Kinds any = ~Kinds{0};
}  // namespace kind

struct Noun {
  std::string singular, plural;  // English; empty: only used in the singular
  Gender gender;
  std::string german, genitive, german_plural;
  Kinds kinds;

  bool is(Kinds some) const { return (kinds & some) != 0; }
  bool countable() const { return !plural.empty(); }
};

struct Adjective {
  std::string english, german;
  Kinds kinds;
  bool gradable = false;
  std::string stem{};  // before endings: dunkel, dunkl-e
  std::string comparative{}, superlative{};
};

struct EnglishVerb {
  std::string base;
  std::string past{}, participle{};
  std::string particle{};
};

enum class Auxiliary { haben, sein };

struct GermanVerb {
  std::string infinitive;  // without its separable prefix
  std::string er{};        // third person singular
  std::string past{};
  std::string participle{};
  std::string prefix{};
  Auxiliary auxiliary = Auxiliary::haben;
  std::string ich{}, du{};
};

struct Preposition {
  std::string english, german;
  Case governs;
};

enum class Frame {
  intransitive,
  accusative,
  dative,
  ditransitive,   // dative person, accusative thing
  prepositional,  // warten auf
  locative,       // where: two-way prepositions with the dative
  directional,    // where to: with the accusative
  causative,      // puts something somewhere
  copula,
};

namespace trait {
inline constexpr unsigned stative = 1;            // no progressive, imperative, passive
inline constexpr unsigned lasting = 2 | stative;  // nor perfect, nor future: knows, likes
inline constexpr unsigned voice = 4;              // can be done loudly
inline constexpr unsigned pace = 8;               // can be done slowly
inline constexpr unsigned at = 16;                // may say where
inline constexpr unsigned company = 32;           // may say with whom
inline constexpr unsigned gift = 64;              // may say for whom
inline constexpr unsigned gets = 128;             // afterwards one has the thing
inline constexpr unsigned to_only = 256;          // "returns it to her", never "returns her it"
}  // namespace trait

struct Verb {
  EnglishVerb english;
  GermanVerb german;
  Frame frame;
  Kinds subjects;
  Kinds objects = 0;
  unsigned traits = 0;
  const Preposition* preposition = nullptr;

  bool has(unsigned all) const { return (traits & all) == all; }
};

struct Modal {
  EnglishVerb english;  // with a particle "to", a full verb that takes do: "does not want to"
  GermanVerb german;
  bool may_be_negated;  // "must not" is not "muss nicht"
  bool has_past;
  bool subjunctive = false;  // sollte: the German form is that of the past
};

/// A fixed phrase in both languages: today/heute, during the break/während der Pause.
struct Adverb {
  std::string english, german;
};

}  // namespace kette::bundled
