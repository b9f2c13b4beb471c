// What the lexicon knows of a word. A row holds the forms that no rule can derive; an empty field
// means "by the rule" (german_morphology.h, english_morphology.h). `kinds` says what a noun
// denotes, and verbs and adjectives name the kinds they go with, so that nobody reads the cheese.
#pragma once

#include <cstdint>
#include <string>

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
constexpr Kinds bit(int position) { return Kinds{1} << position; }

inline constexpr Kinds gendered = bit(0);  // a person who is clearly he or she
inline constexpr Kinds child = bit(1);     // das Kind, das Mädchen: never taken up by a pronoun
inline constexpr Kinds person = gendered | child;
inline constexpr Kinds kin = bit(2);  // "my brother"
inline constexpr Kinds profession = bit(3);
inline constexpr Kinds name = bit(4);
inline constexpr Kinds animal = bit(5);

inline constexpr Kinds food = bit(6);
inline constexpr Kinds drink = bit(7);
inline constexpr Kinds cooked = bit(8);
inline constexpr Kinds baked = bit(9);
inline constexpr Kinds sweet = bit(10);
inline constexpr Kinds served = bit(11);  // comes hot, warm or cold
inline constexpr Kinds fresh = bit(12);

inline constexpr Kinds text = bit(13);
inline constexpr Kinds written = bit(14);  // by a private hand: a letter, not a newspaper
inline constexpr Kinds told = bit(15);
inline constexpr Kinds clothing = bit(16);
inline constexpr Kinds upright = bit(17);  // steht, wird gestellt
inline constexpr Kinds flat = bit(18);     // liegt, wird gelegt
inline constexpr Kinds device = bit(19);
inline constexpr Kinds electric = bit(20);  // can be switched on
inline constexpr Kinds vehicle = bit(21);
inline constexpr Kinds transport = bit(22);  // what one waits for
inline constexpr Kinds opening = bit(23);
inline constexpr Kinds toy = bit(24);

inline constexpr Kinds seat = bit(25);
inline constexpr Kinds surface = bit(26);
inline constexpr Kinds container = bit(27);
inline constexpr Kinds room = bit(28);
inline constexpr Kinds outdoors = bit(29);
inline constexpr Kinds building = bit(30);
inline constexpr Kinds city = bit(31);  // a proper name

inline constexpr Kinds coloured = bit(32);
inline constexpr Kinds heavy = bit(33);
inline constexpr Kinds breakable = bit(34);
inline constexpr Kinds hollow = bit(35);
inline constexpr Kinds washable = bit(36);
inline constexpr Kinds extent = bit(37);    // long or short
inline constexpr Kinds pocket = bit(38);    // small enough to lose
inline constexpr Kinds drawable = bit(39);  // a fit subject for a painter
inline constexpr Kinds boy = bit(40);       // gendered, but neither rich nor married

inline constexpr Kinds fellow = bit(42);   // "my neighbor", but also "a neighbor"
inline constexpr Kinds telling = bit(43);  // of adjectives: a reason to do something
inline constexpr Kinds means = bit(41);    // time, money: had, needed or lacked

inline constexpr Kinds portable = upright | flat;
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
inline constexpr unsigned gets = 128;             // leaves one with a thing to do something to
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

/// Any phrase that both languages hold ready-made: today/heute, during the break/während der Pause.
struct Adverb {
  std::string english, german;
};

}  // namespace kette::bundled
