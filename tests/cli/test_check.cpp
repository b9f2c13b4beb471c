// `kette check` as people run it, and what training and scoring say of odd text.
#include <doctest/doctest.h>

#include "data/checks/oddity.h"
#include "tests/cli/call_kette.h"
#include "tests/data/planted_corpus.h"
#include "tests/inspect/browser.h"

using namespace kette;
using namespace kette::testing;

namespace {

std::vector<std::string> check_of(const std::filesystem::path& folder,
                                  const std::vector<std::string>& more = {}) {
  const auto path = [&](const char* file) { return (folder / file).string(); };
  return with({"check", "--src", path("train.en"), "--tgt", path("train.de"), "--valid-src",
               path("valid.en"), "--valid-tgt", path("valid.de")},
              more);
}

JsonView finding_in(const JsonView& text, const std::string& name) {
  for (const JsonView& finding : text["findings"]) {
    if (finding["finding"] == name) return finding;
  }
  return {};
}

/// Which says what it does, with room for longer sentences.
std::vector<std::string> roomy(std::vector<std::string> arguments) {
  std::erase(arguments, "--quiet");
  std::replace(arguments.begin(), arguments.end(), std::string("80"), std::string("200"));
  std::replace(arguments.begin(), arguments.end(), std::string("64"), std::string("128"));
  return arguments;
}

}  // namespace

TEST_CASE("cli: check tells of planted oddities in text, JSON and a page") {
  const ScratchFolder folder;
  write_planted(folder.path());
  const std::string path = (folder / "page.html").string();
  const Outcome outcome = call_kette(check_of(folder.path(), {"--json", "--page", path}));
  CAPTURE(outcome.err);
  REQUIRE(outcome.code == 0);
  const JsonView json = outcome.json();
  const std::string page = checked_page(path);
  const JsonView &train = json["texts"][0], &valid = json["texts"][1];
  CHECK(train["pairs"] == 900);
  CHECK(train["source_language"] == "en");
  // Finding, how many pairs, one of its lines, and what is said of it.
  const std::vector<std::tuple<const char*, int, int, const char*>> expected = {
      {"duplicate", 12, 101, "1.33 %) repeat an earlier pair"},
      {"empty", 3, 121, "0.33 %) have a side without text"},
      {"equal", 2, 131, "0.22 %) have two equal sides"},
      {"swapped", 4, 141, "0.44 %) have source and target the wrong way round"},
      {"other-language", 3, 151, "are in another language on one side"},
      {"ratio", 1, 161, "have a side more than 3 times as long as the other"},
      {"changed", 7, 171, "have characters that normalisation makes others"},
      {"markup", 3, 181, "have tags or character references"},
      {"encoding", 4, 191, "have broken characters"},
      {"tokenised", 2, 201, "have stops and commas apart"},
      {"lower-cased", 1, 211, "have no capital on a side"}};
  for (const auto& [name, pairs, line, what] : expected) {
    const std::string kind = name;
    CAPTURE(kind);
    const JsonView finding = finding_in(train, kind);
    CHECK(finding["pairs"] == pairs);
    CHECK(finding["samples"].size() == std::min(pairs, 10));
    if (pairs <= 10) {
      bool is_sampled = false;
      for (const JsonView& sample : finding["samples"]) is_sampled |= sample["line"] == line;
      CHECK(is_sampled);
      CHECK(contains(outcome.out, "\n  line " + std::to_string(line)));
      CHECK(contains(page, "<td class=\"number\">" + std::to_string(line) + "</td>"));
    }
    CHECK(contains(outcome.out, std::to_string(pairs) + " of 900 pairs ("));
    CHECK(contains(outcome.out, what));
    CHECK(contains(page, what));
  }
  CHECK(finding_in(valid, "overlap")["pairs"] == 1);
  CHECK(finding_in(valid, "overlap-normalised")["pairs"] == 2);
  CHECK(finding_in(valid, "overlap-side")["samples"][2]["line"] == 7);
  // Text of the corpus stays text.
  CHECK(contains(page, "The &lt;b&gt;red&lt;/b&gt; house."));
  CHECK_FALSE(contains(page, "<b>red"));
  // None of these is so much of the text that it is a warning.
  CHECK(json["warnings"] == 0);
  KETTE_NEEDS_BROWSER();
  const Opened opened = open_page(page, R"(
      document.body.prepend(element('output', { textContent: document.querySelectorAll('section').length + ' ; ' +
                                                             document.querySelectorAll('h3').length }));)");
  CHECK(opened.console == "");
  CHECK(contains(opened.document, "<output>3 ; 14</output>"));
}

TEST_CASE(
    "cli: check of a clean corpus has no warning, and warnings are an exit code if asked for") {
  const ScratchFolder folder;
  write_clean(folder.path());
  const Outcome clean =
      call_kette(check_of(folder.path(), {"--fail-on", "warnings", "--samples", "0"}));
  CHECK(clean.code == 0);
  CHECK(clean.last_line() == "0 warnings");
  // Validation text that is training text.
  const std::vector<std::string> same = {"check",
                                         "--src",
                                         (folder / "train.en").string(),
                                         "--tgt",
                                         (folder / "train.de").string(),
                                         "--valid-src",
                                         (folder / "train.en").string(),
                                         "--valid-tgt",
                                         (folder / "train.de").string()};
  const Outcome never = call_kette(same);
  CHECK(never.code == 0);
  CHECK(never.last_line() == "3 warnings");
  CHECK(contains(never.out, "above 2 %  WARNING"));
  CHECK(call_kette(with(same, {"--fail-on", "warnings"})).code == 1);
}

TEST_CASE("cli: check lists what it looks for, and refuses what it cannot read") {
  const ScratchFolder folder;
  write_clean(folder.path());
  const Outcome list = call_kette({"check", "--list", "--json"});
  CHECK(list.code == 0);
  CHECK(list.json()["findings"].size() == kOddities);
  CHECK(contains(list.out, "above 0.5 %"));
  const Outcome none = call_kette({"check"});
  CHECK(none.code == 2);
  CHECK(none.says("--src: expected a file, given none"));
  const Outcome one =
      call_kette({"check", "--src", (folder / "train.en").string(), "--tgt",
                  (folder / "train.de").string(), "--valid-src", (folder / "valid.en").string()});
  CHECK(one.code == 2);
  CHECK(one.says("--valid-tgt: expected one for each --valid-src, 1, given 0"));
  const Outcome unequal = call_kette(
      {"check", "--src", (folder / "train.en").string(), "--tgt", (folder / "valid.de").string()});
  CHECK(unequal.code == 1);
  CHECK(unequal.says("expected equally many lines, given 900 and 60"));
}

TEST_CASE("cli: training says what is odd about its text before the first step, once") {
  const ScratchFolder folder;
  write_small_corpus(folder.path());  // tokenised and in lower case; the validation text is in it
  std::vector<std::string> words = train_arguments(folder.path(), "model", {"--steps", "2"});
  std::erase(words, "--quiet");
  const Outcome outcome = call_kette(words);
  CAPTURE(outcome.err);
  REQUIRE(outcome.code == 0);
  CHECK(outcome.says("60 of 60 pairs (100.00 %) have stops and commas apart, such as line "));
  CHECK(outcome.says("60 of 60 pairs (100.00 %) have no capital on a side"));
  CHECK(outcome.says("(kette check shows such pairs)"));
  words.push_back("--resume");
  const Outcome resumed = call_kette(words);
  CHECK(resumed.code == 0);
  CHECK_FALSE(resumed.says("have stops and commas apart"));
  // A clean corpus has no such line.
  write_clean(folder.path());
  const Outcome clean =
      call_kette(roomy(train_arguments(folder.path(), "clean", {"--steps", "1"})));
  CAPTURE(clean.err);
  CHECK(clean.code == 0);
  CHECK(clean.says("sentence pairs read"));
  CHECK_FALSE(clean.says("kette check"));
}

TEST_CASE(
    "cli: scores of tokenised text and of empty references come with a hint, and are the same") {
  const ScratchFolder folder;
  std::string text;
  for (int i = 0; i < 100; ++i) text += "a dog number " + std::to_string(i) + " sleeps here .\n";
  write_file(folder / "text", text);
  const std::string file = (folder / "text").string();
  const Outcome raw = call_kette({"bleu", "--ref", file, "--input", file}),
                none = call_kette({"bleu", "--ref", file, "--input", file, "--tokenize", "none"});
  CHECK(raw.says("kette: 100 translations and 100 references end in a full stop"));
  CHECK(none.err.empty());
  CHECK(contains(raw.out, "= 100.00 "));
  CHECK(call_kette({"bleu", "--ref", file, "--input", file, "--metric", "chrf"}).err.empty());
  write_file(folder / "hypothesis", "the cat sat\na dog\n");
  write_file(folder / "a", "the cat sat\na dog\n");
  write_file(folder / "b", "\na dog\n");
  const Outcome empty =
      call_kette({"bleu", "--ref", (folder / "a").string(), (folder / "b").string(), "--input",
                  (folder / "hypothesis").string()});
  CHECK(empty.says("kette: reference 2 is empty in 1 line, first in 1"));
}

TEST_CASE("cli: check finds nothing to warn of in clean corpora of others") {
  const auto data = shared_data();
  if (!data) {
    MESSAGE("skipped: no shared data");
    return;
  }
  const auto check = [&](const std::string& folder, const std::string& train,
                         const std::string& valid) {
    const auto file = [&](const std::string& name) { return (*data / folder / name).string(); };
    return call_kette({"check", "--src", file(train + ".en"), "--tgt", file(train + ".de"),
                       "--valid-src", file(valid + ".en"), "--valid-tgt", file(valid + ".de")});
  };
  const Outcome captions = check("multi30k", "train", "val");
  CHECK(captions.last_line() == "0 warnings");
  CHECK(contains(captions.out, "45 of 29000 pairs (0.16 %) have characters that normalisation"));
  CHECK(check("tatoeba-en-de", "valid", "test").last_line() == "0 warnings");
  CHECK(check("multi30k/lc-tok", "val", "test_2016_flickr").last_line() == "6 warnings");
}
