// Alignment by cross-attention: what is measured with, on alignments that are known.
#include <doctest/doctest.h>

#include "data/bundled/corpus.h"
#include "data/bundled/marks.h"
#include "inspect/lab/alignment_error.h"
#include "inspect/lab/bundled_translator.h"

using namespace kette;

namespace {

/// "dog=Hund" for sure links, "the~der" for possible ones, in the order of the English words.
std::string links_text(const bundled::SentencePair& pair) {
  const auto words = [](const std::string& sentence) {
    std::vector<std::string> all(1);
    for (const char letter : sentence) {
      if (letter == ' ') {
        all.emplace_back();
      } else if (std::string_view(",.?!").find(letter) == std::string_view::npos) {
        all.back() += letter;
      }
    }
    return all;
  };
  const auto english = words(pair.english), german = words(pair.german);
  std::string text;
  for (const bundled::WordLink& link : pair.links) {
    text += (text.empty() ? "" : " ") + english.at(link.english) + (link.sure ? "=" : "~") +
            german.at(link.german);
  }
  return text;
}

std::string links_of_english(const std::string& english) {
  for (const auto* set : {&bundled_corpus(false).test, &bundled_corpus(false).train}) {
    for (const bundled::SentencePair& pair : *set) {
      if (pair.english == english) return links_text(pair);
    }
  }
  return "not there";
}

}  // namespace

TEST_CASE("lab align: marks follow each word, and go without a trace") {
  const int dog = 0, verb = 0;
  const std::string english =
      bundled::marked("dog", &dog) + " " + bundled::marked("has eaten", &verb);
  CHECK(bundled::without_marks(english) == "dog has eaten");
  CHECK(bundled::marked("", &dog).empty());
  const std::string german =
      bundled::marked("fraß", &verb) + " " + bundled::marked("Hund", &dog) + " doch";
  const auto links = bundled::links_of(english, german);
  REQUIRE(links.size() == 3);
  CHECK(links_text({"dog has eaten", "fraß Hund doch", links}) == "dog=Hund has~fraß eaten~fraß");
}

TEST_CASE("lab align: the bundled grammar knows which words translate each other") {
  CHECK(links_of_english("The funny child turns on the radio.") ==
        "The=Das funny=lustige child=Kind turns=schaltet turns~ein on~schaltet on=ein the=das "
        "radio=Radio");
  CHECK(links_of_english("Their neighbor went to the boy.") ==
        "Their=Ihr neighbor=Nachbar went=ging to=zum the=zum boy=Jungen");
  CHECK(links_of_english("The baker waited for the teacher although he was sick.") ==
        "The=Der baker=Bäcker waited=wartete for=auf the=den teacher=Lehrer although=obwohl he=er "
        "was=war sick=krank");
}

TEST_CASE("lab align: nearly every German word of the corpus is linked, and within its sentence") {
  std::int64_t words = 0, linked = 0, sure = 0;
  for (const bundled::SentencePair& pair : bundled_corpus(false).test) {
    const auto count = [](const std::string& text) {
      return 1 + std::count(text.begin(), text.end(), ' ');
    };
    std::set<int> german;
    for (const bundled::WordLink& link : pair.links) {
      REQUIRE(link.english < count(pair.english));
      REQUIRE(link.german < count(pair.german));
      german.insert(link.german);
      sure += link.sure;
    }
    words += count(pair.german);
    linked += std::ssize(german);
  }
  CHECK(static_cast<double>(linked) > 0.99 * static_cast<double>(words));
  CHECK(static_cast<double>(sure) > 0.8 * static_cast<double>(words));
}

TEST_CASE("lab align: the alignment error rate of Och and Ney") {
  const std::vector<bundled::WordLink> truth = {{0, 0, true}, {1, 1, true}, {2, 1, false}};
  AlignmentError perfect, half;
  perfect.add({{0, 0}, {1, 1}}, truth);
  CHECK(perfect.value() == 0);
  perfect.add({{2, 1}, {0, 0}, {1, 1}}, truth);  // possible links cost nothing
  CHECK(perfect.value() == 0);
  half.add({{0, 0}, {2, 1}, {-1, 2}}, truth);
  // |A| = 3, |S| = 2, |A and S| = 1, |A and P| = 2
  CHECK(half.value() == doctest::Approx(1 - 3.0 / 5));
  CHECK(AlignmentError().value() == 0);
}

TEST_CASE("lab align: pieces belong to words, and links of pieces are links of theirs") {
  const ParallelCorpus text = bundled_tokens(bundled_corpus(true), 300);
  const Tokenizer& tokenizer = *text.tokenizer();
  const std::vector<std::int32_t> ids = tokenizer.encode("The painter, who sleeps.");
  const std::vector<int> words = words_of_pieces(tokenizer, ids);
  REQUIRE(words.size() == ids.size());
  CHECK(words.front() == 0);
  CHECK(words.back() == -1);
  std::vector<std::string> spelled(4);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (words[i] >= 0) spelled.at(static_cast<std::size_t>(words[i])) += tokenizer.piece(ids[i]);
  }
  CHECK(spelled[1] == "\xE2\x96\x81painter");
  CHECK(spelled[3] == "\xE2\x96\x81sleeps");

  // Pieces: a b, a c , -> words 0 and 1 with a mark.
  const std::vector<int> source_words = {0, 0, 1, 1, -1}, target_words = {0, 1, 1, -1};
  const std::vector<std::int64_t> source = {1, 2, 4, 0};
  CHECK(linked_words(source, source_words, target_words) ==
        std::set<std::pair<int, int>>{{0, 0}, {1, 1}, {-1, 1}});
  const std::vector<std::int64_t> none = {-1, -1, 3, 3};
  CHECK(linked_words(none, source_words, target_words) == std::set<std::pair<int, int>>{{1, 1}});
}
