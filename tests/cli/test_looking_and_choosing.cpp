// The command line of what a translation may be, and of what a tap can look at: kette translate
// --prefix and --sample, kette info --points.
#include <doctest/doctest.h>

#include "tests/cli/call_kette.h"

using namespace kette::testing;

namespace {

Outcome translate(const std::vector<std::string>& more, const std::string& input) {
  std::vector<std::string> arguments = {
      "translate", "--no-mend", "--model", SmallModel::get().model(), "--threads", "1"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return call_kette(arguments, input);
}

}  // namespace

TEST_CASE("cli: translations begin with their prefixes") {
  const std::string input = "the cat sees bread .\n\na man likes music .\n";
  const ScratchFolder folder;
  const std::string prefixes = (folder / "prefixes").string();
  write_file(prefixes, "der hund\n\n\n");
  const auto free = lines_of(translate({}, input).out);
  const Outcome given = translate({"--prefix", prefixes}, input);
  CHECK(given.code == 0);
  const auto lines = lines_of(given.out);
  REQUIRE(lines.size() == 3);
  CHECK(lines[0].starts_with("der hund"));
  CHECK(lines[1].empty());
  CHECK(lines[2] == free[2]);
  const Outcome drawn = translate({"--prefix", prefixes, "--sample"}, input);
  CHECK(lines_of(drawn.out).at(0).starts_with("der hund"));

  write_file(prefixes, "der hund\n");
  const Outcome few = translate({"--prefix", prefixes}, input);
  CHECK(few.code == 1);
  CHECK(few.says("expected a line for each sentence, given 1 lines and at least 3 sentences"));
  write_file(prefixes, "a\nb\nc\nd\n");
  const std::string out = (folder / "out").string();
  write_file(out, "earlier\n");
  const Outcome many = translate({"--prefix", prefixes, "--output", out}, input);
  CHECK(many.code == 1);
  CHECK(many.says("expected a line for each sentence, given more than 3 lines and 3 sentences"));
  CHECK(read_file(out) == "earlier\n");
}

TEST_CASE("cli: what is not mended is at least told") {
  const std::string input = "the cat sees \xE4\xBD\xA0 .\n";
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{}, {"--n-best", "2", "--beam", "2"}}) {
    const Outcome outcome = translate(more, input);
    CHECK(outcome.code == 0);
    CHECK(outcome.says("1 of 1 line has characters that the model does not know"));
  }
  const Outcome both = call_kette(
      {"translate", "--model", SmallModel::get().model(), "--mend", "--n-best", "2", "--beam", "2"},
      input);
  CHECK(both.code == 2);
  CHECK(both.says("--mend: expected neither --n-best nor --prefix beside it, given --n-best"));
}

TEST_CASE("cli: samples come as often as asked for, the same for the same seed") {
  const std::string input = "the cat sees bread .\na man likes music .\n";
  const auto sample = [&](const std::string& seed) {
    return translate({"--sample", "--seed", seed, "--n-best", "7", "--temperature", "1.5"}, input);
  };
  const Outcome first = sample("3");
  CHECK(first.code == 0);
  CHECK(lines_of(first.out).size() == 14);
  CHECK(lines_of(first.out)[7].starts_with("2 ||| "));
  CHECK(sample("3").out == first.out);
  CHECK(sample("4").out != first.out);
  const Outcome alone = translate({"--seed", "3"}, input);
  CHECK(alone.code == 2);
  CHECK(contains(alone.err, "--sample"));
}

TEST_CASE("cli: info lists the points of a model") {
  const Outcome outcome =
      call_kette({"info", "--model", SmallModel::get().model(), "--points", "--json"});
  CHECK(outcome.code == 0);
  const auto points = outcome.json().at("points");
  bool found = false;
  for (const auto& point : points) {
    if (point.at("point") != "decoder/0/cross_attention/probabilities") continue;
    found = true;
    CHECK(point.at("shape") == std::vector<std::int64_t>{3, 2, 5});  // tokens, heads, source tokens
  }
  CHECK(found);
  CHECK(points.back().at("point") == "logits");
  CHECK(call_kette({"info", "--points"}).code == 2);
  const Outcome grouped =
      call_kette({"info", "--preset", "gpt2", "--context", "2048", "--kv-heads", "4", "--json"});
  CHECK(grouped.code == 0);
  // Keys and values of 4 heads of 64 columns in 12 layers, in f32.
  CHECK(grouped.json()["model"]["cache_bytes"] == 12 * 2048 * 2 * 4 * 64 * 4);
  CHECK(call_kette({"info", "--layers", "3"})
            .says("--layers: expected with one of the presets gpt2"));
  CHECK(call_kette({"info", "--model", SmallModel::get().model(), "--width", "7"})
            .says("--width: expected 16, as the model in "));
  CHECK(contains(call_kette({"info", "--preset", "char-cpu", "--points"}).out,
                 "layers/3/attention/heads"));
}
