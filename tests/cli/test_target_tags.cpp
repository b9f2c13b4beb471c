// kette translate with an imported model of several target languages, as OPUS-MT has them.
#include <doctest/doctest.h>

#include "tests/cli/call_kette.h"
#include "tests/marian_of_two_targets.h"

using namespace kette::testing;

TEST_CASE("cli: each sentence comes to a model of several targets with its tag") {
  const ScratchFolder folder;
  const std::string theirs = marian_of_two_targets(folder.path()).string(),
                    model = (folder / "model").string();
  const Outcome imported = call_kette({"import", "--from", theirs, "--out", model});
  CAPTURE(imported.err);
  REQUIRE(imported.code == 0);
  CHECK(imported.says("kette: to deu, fra: --to with one of them"));
  const std::vector<std::string> command = {"translate", "--model", model, "--threads", "1"};
  const auto translate = [&](const std::vector<std::string>& more) {
    const Outcome outcome = call_kette(with(command, more));
    CAPTURE(outcome.err);
    CHECK(outcome.code == 0);
    return outcome.out;
  };
  const std::string first = "The new hall is here.", second = "The dry hall.",
                    both = first + " " + second;
  // Each sentence as a line with a tag of its own.
  const auto apart = [&](const std::string& tag) {
    const auto lines =
        lines_of(translate({"--split", "lines", "--no-mend", tag + first, tag + second}));
    REQUIRE(lines.size() == 2);
    return lines[0] + " " + lines[1];
  };
  const std::string german = apart(">>deu<< "), french = apart(">>fra<< ");
  CHECK(german != french);
  CHECK(translate({"--to", "deu", both}) == german + "\n");
  CHECK(translate({"--to", "deu", "--no-mend", both}) == german + "\n");
  CHECK(translate({">>deu<< " + both, ">>fra<< " + both}) == german + "\n" + french + "\n");
  CHECK(translate({"--to", "fra", ">>deu<< " + both, both}) == german + "\n" + french + "\n");
  CHECK(translate({"--to", "deu", "--format", "html", "<p>" + both + "</p>"}) ==
        "<p>" + german + "</p>\n");
  CHECK(translate({"--format", "html", "<p>&gt;&gt;fra&lt;&lt; " + both + "</p>"}) ==
        "<p>" + french + "</p>\n");

  const Outcome untold = call_kette(with(command, {both}));
  CHECK(untold.code == 1);
  CHECK(untold.says("expected the one to translate to, of deu, fra, given none"));
  const Outcome wrong = call_kette(with(command, {"--to", "ita", both}));
  CHECK(wrong.code == 1);
  CHECK(wrong.says("language: expected one of deu, fra, given ita"));
  const Outcome unknown = call_kette(with(command, {">>ita<< " + both, ">>deu<< " + both}));
  CHECK(unknown.code == 1);
  CHECK(unknown.says("sentence:1: expected one of deu, fra for its target language, given ita"));
  CHECK(unknown.out == "\n" + german + "\n");
}
