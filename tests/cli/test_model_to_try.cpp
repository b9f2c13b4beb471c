// The small English-German model that comes with Kette (data/en-de): what it says, how small it is, and where it is found.
#include <doctest/doctest.h>

#include <filesystem>
#include <utility>

#include "tests/cli/run_bash.h"

namespace kette {
namespace {

namespace fs = std::filesystem;
using testing::contains;
using testing::Outcome;
using testing::run_kette;

/// All that it prints, with $KETTE and $SOURCE.
std::string said_by(const std::string& command) {
  return testing::run_bash("KETTE='" + testing::kette_binary() + "' SOURCE=$PWD\n" + command).out;
}

fs::path model_to_try() { return testing::source_folder() / "data" / "en-de"; }

TEST_CASE("the model to try: everyday sentences, without --model") {
  // Of these only the first is in the phrases that it learnt (data/en-de/phrases.tsv).
  const std::vector<std::pair<std::string, std::string>> everyday = {
      {"Good morning.", "Guten Morgen."},
      {"My name is Anna and I live in Berlin.", "Ich heiße Anna und lebe in Berlin."},
      {"Where is the train station?", "Wo ist der Bahnhof?"},
      {"I would like a cup of coffee.", "Ich hätte gern eine Tasse Kaffee."},
      {"I don't understand.", "Ich verstehe es nicht."},
      {"How much does it cost?", "Wie viel kostet es?"},
      {"Can you help me?", "Kannst du mir helfen?"},
      {"It is raining today.", "Es regnet heute."},
      {"I am hungry.", "Ich habe Hunger."},
      {"She is reading a book.", "Sie liest ein Buch."},
      {"We are going to the beach tomorrow.", "Wir gehen morgen an den Strand."},
      {"The dog is sleeping under the table.", "Der Hund schläft unter dem Tisch."},
      {"He works in a hospital.", "Er arbeitet in einem Krankenhaus."},
      {"I have two brothers and one sister.", "Ich habe zwei Brüder und eine Schwester."},
      {"Please close the door.", "Bitte schließen Sie die Tür."},
      {"The food was very good.", "Das Essen war sehr gut."},
      {"I lost my passport.", "Ich habe meinen Pass verloren."},
      {"My mother is a teacher.", "Meine Mutter ist Lehrerin."},
      {"When does the bus leave?", "Wann fährt der Bus ab?"},
      {"I will call you tomorrow.", "Ich rufe dich morgen an."},
      {"I'm looking for a hotel.", "Ich suche ein Hotel."},
      {"The children are playing in the garden.", "Die Kinder spielen im Garten."},
      {"I need a doctor.", "Ich brauche einen Arzt."},
      {"I can't find my keys.", "Ich kann meine Schlüssel nicht finden."},
      {"This is too expensive.", "Das ist zu teuer."},
      {"The weather is nice today.", "Das Wetter ist heute schön."}};
  std::vector<std::string> words = {"translate"};
  std::string expected;
  for (const auto& [english, german] : everyday) {
    words.push_back(english);
    expected += german + "\n";
  }
  const Outcome said = run_kette(words);
  CHECK(said.code == 0);
  CHECK(said.out == expected);
}

TEST_CASE("the model to try: below 5 MB, with its card and the notice of its texts") {
  std::uintmax_t bytes = 0;
  for (const auto& entry : fs::directory_iterator(model_to_try())) bytes += entry.file_size();
  CHECK(bytes < 5'000'000);
  const std::string card = testing::read_file(model_to_try() / "README.md");
  for (const char* must :
       {"CC BY 2.0", "tatoeba.org", "manythings.org/anki", "statmt.org/europarl"})
    CHECK(contains(card, must));
}

TEST_CASE("the model to try: found by its name, but a folder of that name goes first") {
  const std::string said = said_by(R"sh(
    kette=$(realpath "$KETTE") scratch=$(mktemp -d) && cd "$scratch"
    "$kette" translate "I am hungry." --model en-de
    mkdir en-de && "$kette" translate "I am hungry." --model en-de
    rmdir en-de && mkdir shelf && cp -r "$SOURCE/data/en-de" shelf/small
    KETTE_MODELS=$scratch/shelf "$kette" translate "I am hungry." --model small
    "$kette" translate "I am hungry." --model small
    rm -r "$scratch"
  )sh");
  const std::size_t folder =
      said.find("en-de: expected a model directory, given a folder without config.json");
  CHECK(said.find("Ich habe Hunger.") < folder);
  CHECK(folder < said.rfind("Ich habe Hunger."));
  CHECK(contains(said, "small: expected a model directory, given no such folder"));
}

TEST_CASE("the model to try: every command that reads a model knows its name") {
  const testing::ScratchFolder folder;
  const std::string out = (folder / "out").string(), none = (folder / "none").string();
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"info", "--model", "en-de", "--points"},
           {"lab", "lens", "--quick", "--model", "en-de", "--src", none, "--tgt", none},
           {"tape", "--model", "en-de", "--src", none, "--tgt", none},
           {"trace", "--model", "en-de", "--src", none, "--tgt", none, "--no-limits"},
           {"compare", "en-de", none},
           {"compare", none, "en-de"},
           {"quantize", "--model", "en-de", "--out", out},
           {"export", "--model", "en-de", "--out", out},
           {"merge", "--model", "en-de", "--out", out},
           {"merge", "--model", none, "--base", "en-de", "--out", out},
           {"average", "--model", "en-de", "--last", "2", "--out", out},
           {"train", "--from", "en-de", "--src", none, "--tgt", none, "--out", out}}) {
    const Outcome outcome = run_kette(words);
    CAPTURE(words.front());
    CAPTURE(outcome.err);
    CHECK_FALSE(outcome.says("en-de: expected a model directory, given no such folder"));
    CHECK_FALSE(outcome.says("en-de: expected a model directory or a checkpoint, given nothing"));
  }
  CHECK(run_kette({"info", "--model", "en-de", "--points"}).code == 0);
  const Outcome lexicon = run_kette({"lexicon", "--model", "en-de", "--src", none, "--tgt", none});
  CHECK(lexicon.code == 2);
  CHECK(
      lexicon.says("--model: expected a model directory of your own, for the lexicon goes into "
                   "it, given en-de, which comes with Kette (copy "));
}

TEST_CASE("the model to try: a program without it says so") {
  const std::string said = said_by(R"sh(
    scratch=$(mktemp -d) && cp "$KETTE" "$scratch/kette"
    export LD_LIBRARY_PATH=$(dirname "$(realpath "$KETTE")")/lib
    "$scratch/kette" translate "I am hungry."
    echo "code $?"
    rm -r "$scratch"
  )sh");
  CHECK(contains(
      said, "--model: expected a model directory, given none (this Kette comes without en-de"));
  CHECK(contains(said, "code 2"));
}

}  // namespace
}  // namespace kette
