// Alternatives of a translation, and what they have in common with it.
#include "tests/serve/api_of_tiny_models.h"

using namespace kette;
using namespace kette::testing;

TEST_CASE("api: the alternatives of a text have the addresses and tags that its translation has") {
  AskedApi asked;  // of random weights: these texts have alternatives that differ
  const std::string address = "http://a.de/b";
  for (const std::string& text : {"a girl buys it " + address + " .", "he sleeps . " + address}) {
    const Told told = asked.post(
        "/translate", Json{{"q", text}, {"target", "de"}, {"alternatives", 3}, {"beam", 4}});
    REQUIRE(told.status == 200);
    CHECK_FALSE(told.json.at("alternatives").empty());
    for (const std::string other : told.json.at("alternatives")) {
      CHECK(contains(other, address));
      CHECK(other != told.json.at("translatedText"));
    }
  }
  const Told html = asked.post("/translate", Json{{"q", "<p>a <b>girl</b> buys it .</p>"},
                                                  {"target", "de"},
                                                  {"format", "html"},
                                                  {"alternatives", 3},
                                                  {"beam", 4}});
  REQUIRE(html.status == 200);
  CHECK_FALSE(html.json.at("alternatives").empty());
  for (const std::string other : html.json.at("alternatives")) {
    CHECK(contains(other, "<b>"));
    CHECK(contains(other, "</b>"));
  }
  TranslationCall call{.texts = {"a girl buys it " + address + " ."}};
  call.search.beam = call.search.n_best = 4;
  call.with_sentences = true;
  const auto sentences =
      tiny_models()->translators.front()->translate(call, [] {}).texts.at(0).sentences;
  REQUIRE(sentences.size() == 1);
  CHECK_FALSE(sentences[0].alternatives.empty());
  for (const std::string& other : sentences[0].alternatives) CHECK(contains(other, address));
}
