// What `kette train` chooses by itself, and what it goes on with.
#include <doctest/doctest.h>

#include "tests/cli/call_kette.h"

using namespace kette;
using namespace kette::testing;

namespace {

/// Without a preset, and without a vocabulary larger than the text has pieces for.
std::vector<std::string> own_text(const ScratchFolder& folder,
                                  const std::vector<std::string>& more) {
  const auto file = [&](const char* name) { return (folder / name).string(); };
  std::vector<std::string> words = {"train",
                                    "--src",
                                    file("train.en"),
                                    "--tgt",
                                    file("train.de"),
                                    "--valid-src",
                                    file("valid.en"),
                                    "--valid-tgt",
                                    file("valid.de"),
                                    "--out",
                                    file("model"),
                                    "--vocab",
                                    "80",
                                    "--threads",
                                    "1"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

std::string configuration(const ScratchFolder& folder) {
  return read_file(folder / "model/config.toml");
}

}  // namespace

TEST_CASE("train: size and recipe are fitted to text and time, and kept; what is given stays") {
  const ScratchFolder folder;
  write_small_corpus(folder.path());
  const Outcome outcome =
      call_kette(own_text(folder, {"--steps", "3", "--width", "24", "--warmup", "7"}));
  CAPTURE(outcome.err);
  REQUIRE(outcome.code == 0);
  CHECK(outcome.says("fitted to 60 pairs and 3 steps: 2+2 layers of width 24"));
  const std::string config = configuration(folder);
  CAPTURE(config);
  for (const char* line : {"width = 24\n", "warmup = 7\n", "encoder-layers = 2\n",
                           "norm = \"pre\"\n", "schedule = \"cosine\"\n", "vocab = 80\n"}) {
    CHECK(contains(config, line));
  }
  CHECK_FALSE(contains(config, "warmup-share"));  // all that --warmup says
  // A preset is all that it says.
  const Outcome preset = call_kette(
      own_text(folder, {"--steps", "3", "--preset", "tiny", "--out", (folder / "tiny").string()}));
  CAPTURE(preset.err);
  REQUIRE(preset.code == 0);
  CHECK_FALSE(preset.says("fitted"));
  CHECK(contains(read_file(folder / "tiny/config.toml"), "norm = \"post\"\n"));
}

TEST_CASE("train: --resume goes on with the configuration that the run was begun with") {
  const ScratchFolder folder;
  write_small_corpus(folder.path());
  const std::vector<std::string> small = {"--width", "16", "--hidden", "32", "--quiet"};
  std::vector<std::string> words = small;
  words.insert(words.end(), {"--steps", "6"});
  REQUIRE(call_kette(own_text(folder, words)).code == 0);
  const std::string model = (folder / "model").string(),
                    six = read_file(model + "/model.safetensors");
  const std::string begun = configuration(folder);

  const Outcome nothing_left = call_kette({"train", "--out", model, "--resume"});
  CAPTURE(nothing_left.err);
  CHECK(nothing_left.code == 0);
  CHECK(read_file(model + "/model.safetensors") == six);
  CHECK(configuration(folder) == begun);

  // Another limit takes the place of the earlier one.
  const Outcome more =
      call_kette({"train", "--out", model, "--resume", "--epochs", "1000", "--patience", "1",
                  "--validate-every", "1", "--json", "--quiet"});
  CAPTURE(more.err);
  REQUIRE(more.code == 0);
  CHECK(more.json().at("steps") > 6);
  CHECK_FALSE(contains(configuration(folder), "\nsteps = "));

  // What would make it another run is refused as ever.
  const Outcome other = call_kette({"train", "--out", model, "--resume", "--width", "32"});
  CHECK(other.code == 1);
  CHECK(other.says("width"));
  const Outcome preset =
      call_kette(own_text(folder, {"--resume", "--preset", "tiny", "--steps", "9"}));
  CHECK(preset.code == 1);
  CHECK(preset.says("layers"));
}

TEST_CASE("train: --resume takes nothing of a start that trained nothing") {
  const ScratchFolder folder;
  write_small_corpus(folder.path());
  // Over before the first step, as one that is killed there.
  REQUIRE(call_kette(own_text(folder, {"--minutes", "1e-9", "--seed", "7", "--quiet"})).code == 0);
  REQUIRE(contains(configuration(folder), "seed = 7\n"));
  const Outcome outcome =
      call_kette(own_text(folder, {"--resume", "--steps", "1", "--quiet", "--json"}));
  CAPTURE(outcome.err);
  REQUIRE(outcome.code == 0);
  CHECK(outcome.json().at("steps") == 1);
  CHECK(contains(configuration(folder), "seed = 1\n"));
}
