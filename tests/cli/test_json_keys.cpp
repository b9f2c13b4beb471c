// What each command's --json has: the keys in their order and the types of their values, which scripts of others count
// on (tests/fixtures/json_keys.txt).
#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <sstream>

#include "tests/cli/call_kette.h"

using namespace kette;
using namespace kette::testing;

namespace {

/// The keys of every object of a value: a line for each place where there are some, "texts[].findings[]  pairs:integer".
/// Objects with a key that is no plain word have names of something for keys, and are one: "*".
class Keys {
 public:
  explicit Keys(const JsonView& whole) { add(whole, "."); }

  std::vector<std::string> lines() const {
    std::vector<std::string> lines;
    for (const std::string& place : places_) {
      std::string line = place;
      for (const auto& [key, types] : keys_.at(place)) {
        line += (line == place ? "  " : " ") + key + ":" + types;
      }
      lines.push_back(line);
    }
    return lines;
  }

 private:
  using Types = std::vector<std::pair<std::string, std::string>>;

  static bool is_word(const std::string& key) {
    return std::all_of(key.begin(), key.end(), [](unsigned char c) {
      return std::islower(c) != 0 || std::isdigit(c) != 0 || c == '_';
    });
  }
  static std::string type_of(const JsonView& value) {
    if (value.is_array()) return "list";
    return value.is_integer() ? "integer" : value.type();
  }

  void add(const JsonView& value, const std::string& place) {
    if (value.is_array()) {
      for (const JsonView& element : value) add(element, place + "[]");
    }
    if (value.type() != "object") return;
    if (keys_.try_emplace(place).second) places_.push_back(place);
    const std::vector<std::string> keys = value.keys();
    const bool named = std::all_of(keys.begin(), keys.end(), is_word);
    for (const std::string& key : keys) {
      const JsonView inner = value[key];
      const std::string name = named ? key : "*";
      Types& all = keys_[place];
      auto known = std::find_if(all.begin(), all.end(),
                                [&](const auto& other) { return other.first == name; });
      if (known == all.end()) known = all.insert(all.end(), {name, ""});
      const std::string type = type_of(inner);
      if (!contains(("|" + known->second + "|"), "|" + type + "|")) {
        known->second += (known->second.empty() ? "" : "|") + type;
      }
      add(inner, (place == "." ? "" : place + ".") + name);
    }
  }

  std::vector<std::string> places_;  // in the order in which they are met
  std::map<std::string, Types> keys_;
};

/// A command line in words, with the folder in the place of "@".
std::vector<std::string> words_of(const std::string& line, const std::string& folder) {
  std::vector<std::string> words;
  std::istringstream parts(line);
  for (std::string word; parts >> word;) {
    if (word.front() == '"') {
      std::string more;
      if (word.back() != '"') std::getline(parts, more, '"');
      word = word.substr(1) + more;
      if (word.back() == '"') word.pop_back();
    }
    if (word.front() == '@') word.replace(0, 1, folder);
    words.push_back(word);
  }
  return words;
}

/// What the commands read.
void write_inputs(const ScratchFolder& folder) {
  write_small_corpus(folder.path());
  write_file(folder / "trees.mrg",
             "(S (NP (DT the) (NN cat)) (VP (VBZ sees) (NP (NN bread))) (. .))\n"
             "(S (NP (DT a) (NN man)) (VP (VBZ likes) (NP (NN music))) (. .))\n");
  write_file(folder / "words", "the cat sees bread .\na man\n");
  const std::vector<std::pair<std::string, std::string>> verbs = {
      {"sees", "sieht"}, {"hears", "hört"}, {"finds", "findet"}, {"likes", "mag"}};
  std::string pairs;
  for (const auto& [one, eines] : verbs) {
    for (const auto& [other, anderes] : verbs) {
      if (one == other) continue;
      pairs += "the cat " + one + " bread .\tthe cat " + other + " bread .\tdie katze " + eines +
               " brot .\tdie katze " + anderes + " brot .\n";
    }
  }
  write_file(folder / "contrast", pairs);
  const auto setting = [&](const std::string& name, const std::string& file) {
    return name + " = \"" + (folder / file).string() + "\"\n";
  };
  write_file(folder / "runs.toml",
             setting("src", "train.en") + setting("tgt", "train.de") +
                 setting("valid-src", "valid.en") + setting("valid-tgt", "valid.de") +
                 "vocab = 80\nencoder-layers = 1\ndecoder-layers = 1\nwidth = 16\nhidden = 32\n"
                 "heads = 2\nbatch-tokens = 200\nsteps = 2\n[evaluate]\n" +
                 setting("src", "valid.en") + setting("ref", "valid.de") +
                 "[one]\n[other]\nheads = 1\n");
}

}  // namespace

TEST_CASE("the JSON of every command has the keys that it had") {
  const ScratchFolder folder;
  write_inputs(folder);
  std::istringstream fixture(read_file(source_folder() / "tests/fixtures/json_keys.txt"));
  std::string line;
  int commands = 0;
  std::vector<std::string> lines;  // of the command before
  const auto compare = [&](const std::vector<std::string>& expected) {
    CHECK(lines.size() == expected.size());
    for (std::size_t i = 0; i < std::min(lines.size(), expected.size()); ++i) {
      CHECK(lines[i] == expected[i]);
    }
  };
  std::vector<std::string> expected;
  std::string command;
  while (std::getline(fixture, line)) {
    if (line.empty() || line.front() == '#') continue;
    if (!line.starts_with("$ ")) {
      expected.push_back(line);
      continue;
    }
    {
      CAPTURE(command);
      compare(expected);
    }
    expected.clear();
    lines.clear();
    command = line;
    CAPTURE(command);
    const std::vector<std::string> words =
        with(words_of(line.substr(2), folder.path().string()), {"--threads", "1", "--json"});
    // A sweep starts the program that it is.
    const Outcome outcome = words.front() == "sweep" ? run_kette(words) : call_kette(words);
    CHECK_MESSAGE(outcome.code <= 1, outcome.err);
    REQUIRE_MESSAGE(outcome.last_line().starts_with('{'), outcome.err);
    lines = Keys(outcome.json()).lines();
    ++commands;
  }
  CAPTURE(command);
  compare(expected);
  CHECK(commands >= 50);
}
