// The bundled corpus: the same everywhere, split by combinations, and in correct German.
#include <doctest/doctest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "data/bundled/corpus.h"
#include "data/bundled/english_morphology.h"
#include "data/bundled/german_morphology.h"
#include "data/bundled/lexicon.h"
#include "data/bundled/marks.h"
#include "data/bundled/patterns.h"
#include "data/bundled/random.h"
#include "data/bundled/syntax.h"
#include "tensor/error.h"
#include "tests/support.h"

using namespace kette::bundled;

namespace {

const Corpus& corpus() {
  static const Corpus made = generate();
  return made;
}

std::vector<const SentencePair*> all_pairs() {
  std::vector<const SentencePair*> pairs;
  for (const auto* set : {&corpus().train, &corpus().valid, &corpus().test}) {
    for (const SentencePair& pair : *set) pairs.push_back(&pair);
  }
  return pairs;
}

bool well_formed(const std::string& text) {
  const bool umlaut = static_cast<unsigned char>(text[0]) == 0xC3;
  const bool capital = umlaut || (text[0] >= 'A' && text[0] <= 'Z');
  const bool ended = std::string(".?!").find(text.back()) != std::string::npos;
  for (const char* flaw : {"  ", " ,", " .", ",,", ",.", ",?", ",!"}) {
    if (kette::testing::contains(text, flaw)) return false;
  }
  return capital && ended;
}

std::uint64_t fingerprint(const Corpus& made) {
  std::uint64_t value = 0;
  for (const auto* set : {&made.train, &made.valid, &made.test}) {
    for (const SentencePair& pair : *set) {
      value = hash(pair.english + "\t" + pair.german, value);
    }
  }
  return value;
}

NounPhrase the(const char* word, Number number = Number::singular) {
  NounPhrase phrase;
  phrase.noun = &noun(word);
  phrase.number = number;
  if (phrase.noun->is(kind::name | kind::city)) phrase.determiner = Determiner::none;
  return phrase;
}

NounPhrase with(NounPhrase phrase, Determiner determiner, const char* quality = nullptr) {
  phrase.determiner = determiner;
  if (quality) phrase.adjective = &adjective(quality);
  return phrase;
}

NounPhrase they(Person person, Number number, Gender gender = Gender::masculine) {
  NounPhrase phrase;
  phrase.head = NounPhrase::Head::personal;
  phrase.who = {person, number, gender};
  phrase.animate = true;
  return phrase;
}

Clause clause(const NounPhrase& subject, const char* does) {
  Clause made;
  made.subject = subject;
  made.verb = &verb(does);
  return made;
}

Clause clause(const NounPhrase& subject, const char* does, const NounPhrase& what) {
  Clause made = clause(subject, does);
  made.direct = what;
  return made;
}

Clause where(Clause made, const char* word, Case governs, const char* place) {
  made.oblique = PrepositionPhrase{&preposition(word, governs), the(place)};
  return made;
}

std::string german_of(const auto& made, auto how) { return without_marks(in_german(made, how)); }
std::string english_of(const auto& made, auto how) { return without_marks(in_english(made, how)); }
std::string main_clause(const Clause& made) { return german_of(made, Order::second); }
std::string subordinate(const Clause& made) { return german_of(made, Order::last); }
std::string statement_of(const Clause& made) { return english_of(made, Form::statement); }

const NounPhrase kI = they(Person::first, Number::singular);
const NounPhrase kYou = they(Person::second, Number::singular);
const NounPhrase kShe = they(Person::third, Number::singular, Gender::feminine);
const Adverb kToday{"today", "heute"};

}  // namespace

TEST_CASE("bundled corpus: the sizes are as promised, the sentences distinct and well formed") {
  CHECK(corpus().train.size() == 20000);
  CHECK(corpus().valid.size() == 500);
  CHECK(corpus().test.size() == 1000);
  std::set<std::string> english;
  for (const SentencePair* pair : all_pairs()) {
    if (!english.insert(pair->english).second) FAIL_CHECK("twice: ", pair->english);
    for (const std::string& text : {pair->english, pair->german}) {
      if (!well_formed(text)) FAIL_CHECK("not well formed: ", text);
    }
  }
}

TEST_CASE("bundled corpus: the same bytes on every platform") {
  CHECK(kette::splitmix64(0) ==
        0xE220A8397B1DCDAFull);  // the first output of the published splitmix64
  CHECK(fingerprint(corpus()) == 8148799205339054175ull);
  const Sizes small{2000, 10, 10};
  CHECK(fingerprint(generate(7, small)) == fingerprint(generate(7, small)));
  CHECK(fingerprint(generate(7, small)) != fingerprint(generate(8, small)));
}

TEST_CASE("bundled corpus: held-out sentences use only words that training shows often") {
  std::map<std::string, int> english, german;
  for (const SentencePair& pair : corpus().train) {
    for (const std::string& word : words_of(pair.english)) ++english[word];
    for (const std::string& word : words_of(pair.german)) ++german[word];
  }
  for (const auto* set : {&corpus().valid, &corpus().test}) {
    for (const SentencePair& pair : *set) {
      for (const std::string& word : words_of(pair.english)) {
        if (english[word] < kSeenInTraining) FAIL_CHECK("rare in training: ", word);
      }
      for (const std::string& word : words_of(pair.german)) {
        if (german[word] < kSeenInTraining) FAIL_CHECK("rare in training: ", word);
      }
    }
  }
}

TEST_CASE("bundled corpus: one English sentence, one German one, whatever the seed") {
  // generate() throws when two drafts agree in English and differ in German.
  for (const std::uint64_t seed : {1, 2, 3}) {
    CHECK_NOTHROW(generate(seed, {5000, 50, 50}));
  }
  CHECK_THROWS_AS(generate(1, {50, 500, 500}), kette::Error);
}

TEST_CASE("bundled corpus: the pattern weights are thousandths") {
  unsigned sum = 0;
  for (const Pattern& pattern : patterns()) sum += pattern.weight;
  CHECK(sum == 1000);
}

TEST_CASE("German: three genders, four cases, adjective endings") {
  const NounPhrase dog = with(the("dog"), Determiner::definite, "old");
  CHECK(german_of(dog, Case::nominative) == "der alte Hund");
  CHECK(german_of(dog, Case::accusative) == "den alten Hund");
  CHECK(german_of(dog, Case::dative) == "dem alten Hund");
  CHECK(german_of(dog, Case::genitive) == "des alten Hundes");
  const NounPhrase lamp = with(the("lamp"), Determiner::indefinite, "new");
  CHECK(german_of(lamp, Case::nominative) == "eine neue Lampe");
  CHECK(german_of(lamp, Case::dative) == "einer neuen Lampe");
  const NounPhrase book = with(the("book"), Determiner::indefinite, "heavy");
  CHECK(german_of(book, Case::accusative) == "ein schweres Buch");
  CHECK(german_of(book, Case::dative) == "einem schweren Buch");
  const NounPhrase milk = with(the("milk"), Determiner::none, "cold");
  CHECK(german_of(milk, Case::accusative) == "kalte Milch");
  CHECK(german_of(with(the("water"), Determiner::none, "cold"), Case::dative) == "kaltem Wasser");
  NounPhrase three = with(the("child", Number::plural), Determiner::number, "small");
  three.adjective = &adjective("happy");
  three.count = 3;
  CHECK(german_of(three, Case::nominative) == "drei glückliche Kinder");
  CHECK(german_of(three, Case::dative) == "drei glücklichen Kindern");
  CHECK(german_of(with(the("room"), Determiner::definite, "dark"), Case::dative) ==
        "dem dunklen Zimmer");
  CHECK(german_of(with(the("coat"), Determiner::negative, "expensive"), Case::accusative) ==
        "keinen teuren Mantel");
}

TEST_CASE("German: weak nouns and the dative plural") {
  CHECK(german_of(the("boy"), Case::accusative) == "den Jungen");
  CHECK(german_of(the("bear"), Case::genitive) == "des Bären");
  CHECK(german_of(the("neighbor"), Case::dative) == "dem Nachbarn");
  CHECK(german_of(the("child", Number::plural), Case::dative) == "den Kindern");
  CHECK(german_of(the("car", Number::plural), Case::dative) == "den Autos");
}

TEST_CASE("German: conjugation") {
  using namespace kette::bundled;
  const Agreement du{Person::second, Number::singular, Gender::masculine};
  const Agreement ich{Person::first, Number::singular, Gender::masculine};
  const Agreement sie{Person::third, Number::plural, Gender::masculine};
  CHECK(german::present(verb("read").german, du) == "liest");
  CHECK(german::present(verb("work").german, du) == "arbeitest");
  CHECK(german::present(verb("dance").german, du) == "tanzt");
  CHECK(german::present(verb("invite").german, du) == "lädst");
  CHECK(german::present(verb("feed").german, ich) == "füttere");
  CHECK(german::present(verb("like").german, ich) == "mag");
  CHECK(german::present(modal("must").german, du) == "musst");
  CHECK(german::past(verb("open").german, sie) == "öffneten");
  CHECK(german::past(verb("eat").german, sie) == "aßen");
  CHECK(german::participle(verb("repair").german) == "repariert");
  CHECK(german::participle(verb("visit").german) == "besucht");
  CHECK(german::participle(verb("pack").german) == "eingepackt");
  CHECK(german::imperative(verb("take").german) == "nimm");
  CHECK(german::imperative(verb("wash").german) == "wasch");
  CHECK(german::imperative(verb("open").german) == "öffne");
}

TEST_CASE("German: verb second, also behind a time that goes first") {
  Clause reads = clause(the("man"), "read", the("newspaper"));
  CHECK(main_clause(reads) == "der Mann liest die Zeitung");
  reads.time = &kToday;
  CHECK(main_clause(reads) == "der Mann liest heute die Zeitung");
  reads.front = Slot::time;
  CHECK(main_clause(reads) == "heute liest der Mann die Zeitung");
  CHECK(statement_of(reads) == "today the man reads the newspaper");
}

TEST_CASE("German: verb last, and separable verbs joined there") {
  Clause opens = clause(the("woman"), "close", the("window"));
  CHECK(main_clause(opens) == "die Frau macht das Fenster zu");
  CHECK(subordinate(opens) == "die Frau das Fenster zumacht");
  CHECK(german_of(opens, Order::first) == "macht die Frau das Fenster zu");
  CHECK(german_of(opens, Order::infinitive) == "das Fenster zuzumachen");
  CHECK(german_of(opens, Order::imperative) == "mache das Fenster zu");
  opens.tense = Tense::perfect;
  CHECK(main_clause(opens) == "die Frau hat das Fenster zugemacht");
  CHECK(subordinate(opens) == "die Frau das Fenster zugemacht hat");
  opens.tense = Tense::present;
  opens.modal = &modal("want to");
  CHECK(main_clause(opens) == "die Frau will das Fenster zumachen");
  CHECK(statement_of(opens) == "the woman wants to close the window");
}

TEST_CASE("German: the perfect with haben or sein, the future, the passive") {
  Clause gets_up = clause(the("boy"), "get up");
  gets_up.tense = Tense::perfect;
  CHECK(main_clause(gets_up) == "der Junge ist aufgestanden");
  gets_up.tense = Tense::future;
  CHECK(subordinate(gets_up) == "der Junge aufstehen wird");
  Clause passive = clause(the("car"), "repair");
  passive.passive = true;
  passive.tense = Tense::past;
  passive.company = PrepositionPhrase{&preposition("by", Case::dative), the("uncle")};
  CHECK(main_clause(passive) == "das Auto wurde vom Onkel repariert");
  CHECK(statement_of(passive) == "the car was repaired by the uncle");
  passive.tense = Tense::perfect;
  CHECK(main_clause(passive) == "das Auto ist vom Onkel repariert worden");
}

TEST_CASE("German: kein before indefinite objects, nicht in its place elsewhere") {
  Clause buys = clause(the("man"), "buy", with(the("lamp"), Determiner::indefinite, "new"));
  buys.negated = true;
  CHECK(main_clause(buys) == "der Mann kauft keine neue Lampe");
  CHECK(statement_of(buys) == "the man does not buy a new lamp");
  buys.direct = the("lamp");
  CHECK(main_clause(buys) == "der Mann kauft die Lampe nicht");
  buys.verb = &verb("turn on");
  CHECK(main_clause(buys) == "der Mann schaltet die Lampe nicht ein");
  Clause places = where(clause(the("man"), "place", the("lamp")), "on", Case::accusative, "table");
  places.negated = true;
  CHECK(main_clause(places) == "der Mann stellt die Lampe nicht auf den Tisch");
  Clause can = clause(the("man"), "dance");
  can.modal = &modal("can");
  can.negated = true;
  CHECK(main_clause(can) == "der Mann kann nicht tanzen");
  CHECK(statement_of(can) == "the man cannot dance");
}

TEST_CASE("German: two-way prepositions and contractions") {
  CHECK(main_clause(where(clause(kShe, "go"), "into", Case::accusative, "house")) ==
        "sie geht ins Haus");
  CHECK(main_clause(where(clause(kShe, "stay"), "in", Case::dative, "house")) ==
        "sie bleibt im Haus");
  CHECK(main_clause(where(clause(the("cat"), "jump"), "onto", Case::accusative, "table")) ==
        "die Katze springt auf den Tisch");
  CHECK(main_clause(where(clause(the("cat"), "lie"), "on", Case::dative, "table")) ==
        "die Katze liegt auf dem Tisch");
  CHECK(main_clause(where(clause(kI, "go"), "to", Case::dative, "school")) ==
        "ich gehe zur Schule");
  CHECK(main_clause(where(clause(kI, "travel"), "to", Case::dative, "Vienna")) ==
        "ich reise nach Wien");
  CHECK(main_clause(where(clause(kYou, "live"), "in", Case::dative, "Vienna")) ==
        "du wohnst in Wien");
}

TEST_CASE("German: pronouns take the gender of their noun, and stand before other objects") {
  for (const auto& [word, pronoun] :
       std::map<std::string, std::string>{{"suitcase", "ihn"}, {"lamp", "sie"}, {"book", "es"}}) {
    Clause made = clause(the("man"), "give", pronoun_for(the(word.c_str())));
    made.indirect = the("woman");
    CHECK(main_clause(made) == "der Mann gibt " + pronoun + " der Frau");
  }
  CHECK(english_of(pronoun_for(the("lamp")), Function::subject) == "it");
  CHECK(english_of(pronoun_for(the("lamp", Number::plural)), Function::object) == "them");
  Clause picks = clause(kI, "pick up", kShe);
  CHECK(statement_of(picks) == "I pick her up");
  CHECK(main_clause(picks) == "ich hole sie ab");
}

TEST_CASE("German: questions") {
  Clause asks = clause(the("man"), "help", they(Person::third, Number::singular));
  CHECK(english_of(asks, Form::question) == "does the man help him");
  CHECK(german_of(asks, Order::first) == "hilft der Mann ihm");
  asks.direct->head = NounPhrase::Head::interrogative;
  asks.front = Slot::direct;
  CHECK(english_of(asks, Form::question) == "whom does the man help");
  CHECK(main_clause(asks) == "wem hilft der Mann");
  Clause which = clause(the("man"), "read", with(the("novel"), Determiner::which));
  which.front = Slot::direct;
  CHECK(main_clause(which) == "welchen Roman liest der Mann");
  const Adverb where_to{"where", "wohin"};
  Clause drives = clause(kShe, "drive");
  drives.question = &where_to;
  drives.front = Slot::question;
  CHECK(english_of(drives, Form::question) == "where does she drive");
  CHECK(main_clause(drives) == "wohin fährt sie");
}

TEST_CASE("German: relative clauses, behind the bracket where there is one") {
  NounPhrase man = the("man");
  NounPhrase who;
  who.head = NounPhrase::Head::relative;
  who.animate = true;
  Clause sings = clause(who, "sing");
  man.relative = std::make_shared<Clause>(sings);
  CHECK(german_of(man, Case::accusative) == "den Mann, der singt,");
  Clause invites = clause(the("queen"), "invite", man);
  CHECK(main_clause(invites) == "die Königin lädt den Mann ein, der singt,");
  CHECK(statement_of(invites) == "the queen invites the man who sings");
  Clause helps = clause(the("queen"), "help", who);
  helps.front = Slot::direct;
  CHECK(subordinate(helps) == "dem die Königin hilft");
  NounPhrase whose_dog = with(the("dog"), Determiner::relative_whose);
  whose_dog.who = {Person::third, Number::singular, Gender::feminine};
  CHECK(german_of(whose_dog, Case::nominative) == "deren Hund");
}

TEST_CASE("German: comparison, professions and what one does gladly") {
  Clause is = clause(the("horse"), "sleep");
  is.verb = &verb_be();
  is.predicate = Predicate{.adjective = &adjective("big"), .degree = Degree::comparative};
  is.predicate->compared_to = the("dog");
  CHECK(main_clause(is) == "das Pferd ist größer als der Hund");
  CHECK(statement_of(is) == "the horse is bigger than the dog");
  is.predicate->degree = Degree::positive;
  CHECK(main_clause(is) == "das Pferd ist so groß wie der Hund");
  NounPhrase house = with(the("house"), Determiner::definite, "quiet");
  house.degree = Degree::superlative;
  CHECK(german_of(house, Case::accusative) == "das ruhigste Haus");
  is.subject = the("Julia");
  is.predicate = Predicate{.noun = with(the("actress"), Determiner::indefinite)};
  CHECK(main_clause(is) == "Julia ist Schauspielerin");
  CHECK(statement_of(is) == "Julia is an actress");
  Clause drinks = clause(kShe, "drink", with(the("coffee"), Determiner::none, "cold"));
  drinks.gladly = true;
  CHECK(main_clause(drinks) == "sie trinkt gern kalten Kaffee");
  CHECK(statement_of(drinks) == "she likes to drink cold coffee");
}

TEST_CASE("English: regular forms") {
  const Agreement third;
  CHECK(english::present({"carry"}, third) == "carries");
  CHECK(english::past({"carry"}, third) == "carried");
  CHECK(english::present({"wash"}, third) == "washes");
  CHECK(english::progressive({"swim"}) == "swimming");
  CHECK(english::progressive({"place"}) == "placing");
  CHECK(english::progressive({"lie"}) == "lying");
  CHECK(english::progressive({"visit"}) == "visiting");
  CHECK(english::compare("big", Degree::comparative) == "bigger");
  CHECK(english::compare("brave", Degree::superlative) == "bravest");
  CHECK(english::compare("happy", Degree::comparative) == "happier");
  CHECK(english::compare("polite", Degree::superlative) == "most polite");
  CHECK(english::indefinite_article("old man") == "an");
  CHECK(noun("dog").german == "Hund");
  CHECK_THROWS_AS(noun("unicorn"), kette::Error);
}
