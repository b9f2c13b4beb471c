// Sentences by hand-written cases, a rule each: "|" stands where a cut belongs, and nowhere else is one.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "data/sentences/sentence_splitter.h"
#include "tensor/error.h"

namespace kette {
namespace {

/// The text with " |" behind each sentence but the last.
std::string marked(const SentenceSplitter& splitter, const std::string& text, LineBreaks breaks) {
  std::string result;
  std::size_t at = 0;
  const std::vector<Sentence> sentences = splitter.split(text, breaks);
  for (std::size_t i = 0; i + 1 < sentences.size(); ++i) {
    result += text.substr(at, sentences[i].end - at) + " |";
    at = sentences[i].end;
  }
  return result + text.substr(at);
}

void check_cuts(const std::string& language, const std::vector<std::string>& cases,
                LineBreaks breaks = LineBreaks::join) {
  const SentenceSplitter splitter(language);
  for (const std::string& wanted : cases) {
    std::string text = wanted;
    for (std::size_t at = 0; (at = text.find(" |", at)) != std::string::npos;) text.erase(at, 2);
    CHECK(marked(splitter, text, breaks) == wanted);
  }
}

std::vector<std::string> parts_of(const std::string& text, std::size_t most,
                                  const std::string& language = "en") {
  const auto bytes = [](std::string_view piece) { return piece.size(); };
  std::vector<std::string> parts;
  for (const Sentence& part : SentenceSplitter(language).parts(text, most, bytes)) {
    parts.emplace_back(part.of(text));
  }
  return parts;
}

TEST_CASE("sentences: end marks, alone and together, with what closes behind them") {
  check_cuts(
      "en",
      {"The cat sleeps. | The dog barks! | Does it? | Yes.",
       "No!! | Really?! | What!? | Well... | He left.… | She stayed.",
       "\"It rains.\" | The man looked up. | (It did.) | 'Go!' | [So he went.] | *Then* he ran.",
       "\u201CIt rains.\u201D | \u201CDoes it?\u201D | She looked up.",
       "The end.[12] | The next one.\u00B2 | \"A third.\"[3] | It was over .", "One", "."});
  check_cuts("de", {"\u201EEs regnet.\u201C | Der Mann sah auf. | \u00BBJa!\u00AB | Er ging."});
  check_cuts("fr", {"Quoi ? | Non ! | \u00AB Il pleut. \u00BB | Elle sourit\u00A0! | Il part."});
  check_cuts("en", {"\u3053\u308C\u306F\u672C\u3067\u3059\u3002"}, LineBreaks::end);
  const std::string japanese = "\u672C\u3002\u732B\uFF01\u300C\u4F55\uFF1F\u300D\u3068\u3002";
  CHECK(SentenceSplitter("en").split(japanese).size() == 3);  // not behind the bracket that closes
}

TEST_CASE("sentences: none ends before lower case, whatever the mark") {
  check_cuts("en", {"He reads Which? every week. | So do I.", "\"Stop!\" she cried. | He did not.",
                    "I thought ... perhaps not. | Wait...no.", "It is (I hope!) over. | Good.",
                    "\"We came. We saw. We ate,\" they said. | Then they slept."});
  check_cuts("de", {"\u201EHalt!\u201C rief sie. | \u201EWer ist da?\u201C, fragte er. | Nichts."});
  check_cuts("fr", {"\u00AB Viens ! \u00BB cria-t-elle. | Il vint."});
}

TEST_CASE("sentences: titles, abbreviations and initials") {
  check_cuts(
      "en",
      {"Mr. Brown met Prof. Anna B. Green and Lt. Col. White. | They spoke.",
       "Bring fruit, e.g. Apples, i.e. Food. | See Fig. 3 and pp. 4-7, No. 8. | No. | That is all.",
       "She works for Acme Inc. in Ohio. | He works for Acme Inc. | They meet at 5 p.m. Friday.",
       "The U.S. Senate sat. | He left the U.S. | She stayed in the U.K. | The end.",
       "Paul and I. | Did King Paul I. Jones go? | Take vitamin C. | It helps. | J. R. R. Young and P. K. Young wrote.",
       "He has a Ph.D. | She wants one. | Jones et al. Show it. | It is (ca. Two.) here.",
       "Smith (Acme Inc.) The boss",
       "A sgt. Peters, a frlm. Peters. | You and me. | TV. | Then bed."});
  check_cuts(
      "de",
      {"Dr. med. Weber, Prof. Klein und Dipl.-Ing. Groß kamen. | Sie sprachen.",
       "Obst, z. B. Birnen, d. h. Kernobst, u. a. \u00C4pfel usw. | Das schmeckt. | I. d. R. Montags.",
       "Das ist z.B. Der Spiegel bzw. Die Zeit. | Siehe Nr. 5 und Art. 3 Abs. 2. | Dieser Art. | Gut.",
       "Er wohnt in der Talstr. 5. | Sie wohnt in der Talstr. | Dort ist es still. | Ein ev. Pfarrer.",
       "Die Tel.-Nr. Der Firma, ca. Tausend Mrd. Euro, vgl. Seite 3. | Es kostet 5 Mio. | Das ist viel."});
  check_cuts(
      "fr", {"M. Petit et Mme. Grand sont l\u00E0. | J.-P. Blanc aussi.",
             "Des fruits, p. ex. Des pommes, etc. | Le no. 5, l'art. 3. | C'est l'art. | Il peint.",
             "En 50 av. J.-C. Rome grandit. | Il mourut en 52 av. J.-C. | Elle v\u00E9cut."});
}

TEST_CASE("sentences: numbers, and in German those that count") {
  check_cuts(
      "en",
      {"It costs $3.50. | It is 1.5 m. | In 1990. | Then 12. | So 1,000.50. | 7 came. | \u20AC5 is fine.",
       "What? | 40 people? | Henry VIII. | World War II. | It ended."});
  check_cuts(
      "de",
      {"Am 3. Mai, dem 2. Tag. | Vom 1. bis 3. M\u00E4rz 1.000.000. | Ludwig XIV. Sohn. | 3. 5. 2012.",
       "Seit 1990. | Deutschland war eins. | Der 100. Gast, der 1000. Gast. | Sie ist 24. | Er ist 30.",
       "(Ab Seite 23.) | Tom las. | Band II. | Dann kam er. | Es sind 3,50. | Gut. | Der 1. FC Ulm."});
  check_cuts("fr", {"En 1990. | Louis XIV. | Il r\u00E9gna. | Le 3 mai, 3,50 euros."});
}

TEST_CASE("sentences: addresses, files and what else has stops within") {
  check_cuts(
      "en",
      {"See https://www.example.org/a.b?c=D.E. | Mail x.Y@example.org. | Run a.out. | Read README.md.",
       "Node.js. | Version 2.0.1. | No space.Here it goes on. | A .NET program. | Is it...Yes."});
}

TEST_CASE("sentences: ellipses") {
  check_cuts(
      "en",
      {"Well... | They left. | But I ... I do not know. | So . . . so what . . . I see. | It fades. . . . | The end.",
       "Both. | ... Meaning what? | \"He [...] Left (...) Early.\" | It is (!) Green. | The end. [...] | So.",
       "It cost ... 5 euros. | It began\u2026 | The end."});
}

TEST_CASE("sentences: brackets and short quotations belong to the sentence they are in") {
  check_cuts(
      "en",
      {"He teaches (He was a cook. Then he was not.) at school. | She, too.",
       "He said, \"No. I will not.\" | Then he left. | (He was ill. | She was not.) | It [see A. Then B.] ends.",
       "Open ( here. | Then on. | He said \"Go. | \"Then we went, \"and stayed.\" | It was far."});
  check_cuts(
      "de",
      {"Er sagte: \u201ENein. Nie.\u201C | Dann ging er. | \u201EIch kam. Ich sah\u201C, sagte er. | Gut."});
  const std::string many =
      "Then I came. | Then I saw. | Then I went. | Then I slept. | Then I woke. | I rose.";
  check_cuts("en", {"He said, \"" + many + "\" | So he said."});
}

TEST_CASE("sentences: lists, dashes and emoji") {
  check_cuts("en", {"1) One thing | 2) Another | 3) A third",
                    "1. One thing. | 2. Another | 3. More", "a.) One | b.) Two",
                    "\u2022 One | \u2022 two | \u2022 Three", "Red \u2022 Green \u2022 Blue",
                    "Come. - Now. | Go! \u2013 Never.", "\u2014 Come. | \u2014 Never.",
                    "Great! \U0001F600 | See you. :) | Bye.", "1) One 3) Three"});
  check_cuts("de", {"1. Mai und 2. Mai", "1) Eins | 2) Zwei"});
}

TEST_CASE("sentences: line ends and blank lines") {
  check_cuts("en", {"A line |\nand another |\r\n \n \t\nA third. | So.\n"}, LineBreaks::end);
  check_cuts("en", {"A line\nand another. |\r\nBut |\n\t\n a paragraph |\n\n\n\nThe last",
                    "\n\n A title |\n\nText.\n\n"});
}

TEST_CASE("sentences: bullets at the start of lines begin them") {
  check_cuts("en", {"Buy: |\n- milk |\n- bread\nand butter", "Wrapped\n- or not - text",
                    "So |\n\u2022 one |\n\u2022 two"});
}

TEST_CASE("sentences: nothing in blank text, and languages that are known") {
  for (const std::string& language : SentenceSplitter::languages()) {
    const SentenceSplitter splitter(language);
    for (const char* blank : {"", " ", "\n", " \r\n\t\n\u3000\u00A0\u2028"}) {
      CHECK(splitter.split(blank, LineBreaks::end).empty());
      CHECK(splitter.split(blank, LineBreaks::join).empty());
    }
  }
  CHECK(SentenceSplitter::languages() == std::vector<std::string>{"en", "de", "fr"});
  CHECK_THROWS_WITH_AS(SentenceSplitter("xx"),
                       "sentences: expected a language of en, de, fr, given xx", Error);
}

TEST_CASE("sentences too long: cut at marks, then before conjunctions, then at spaces") {
  using Parts = std::vector<std::string>;
  CHECK(parts_of("short", 10) == Parts{"short"});
  CHECK(parts_of("  ", 10).empty());
  CHECK(parts_of(" one two three; four five ", 15) == Parts{"one two three;", "four five"});
  CHECK(parts_of("we went home, they all stayed there", 25) ==
        Parts{"we went home,", "they all stayed there"});
  CHECK(parts_of("we all went home and they stayed", 22) ==
        Parts{"we all went home", "and they stayed"});
  CHECK(parts_of("wir gingen heim weil es kalt war", 22, "de") ==
        Parts{"wir gingen heim", "weil es kalt war"});
  CHECK(parts_of("aaaa bbbb cccc dddd", 10) == Parts{"aaaa bbbb", "cccc dddd"});
  CHECK(parts_of("we sat \u2014 all of us", 14) == Parts{"we sat", "\u2014 all of us"});
  // Within a word only where that alone is too long, and never within a character or before its accent.
  CHECK(parts_of("a bbbbbbbbbb c", 6) == Parts{"a", "bbbbb", "bbbbb", "c"});
  CHECK(parts_of("\u00E4\u00F6\u00FC", 3) == Parts{"\u00E4", "\u00F6", "\u00FC"});
  CHECK(parts_of("xe\u0301y", 3) == Parts{"x", "e\u0301", "y"});
  CHECK(parts_of("\U0001F600", 1) == Parts{"\U0001F600"});
  CHECK(parts_of("abc", 0) == Parts{"a", "b", "c"});
}

}  // namespace
}  // namespace kette
