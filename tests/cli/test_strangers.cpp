// Parameters of another vocabulary or another run: refused by name, whatever takes them.
#include <doctest/doctest.h>

#include "data/files/safetensors.h"
#include "models/average.h"
#include "models/model_directory.h"
#include "tests/cli/run_kette.h"

using namespace kette::testing;
using kette::SafetensorsFile;

namespace {

std::string last_checkpoint(const std::string& model) {
  return kette::list_checkpoints(model).back().string();
}

/// The small model with another seed, or another vocabulary of as many pieces.
std::string stranger(const ScratchFolder& folder, const std::string& name,
                     const std::vector<std::string>& more) {
  const SmallModel& small = SmallModel::get();
  for (const char* file : {"train.en", "train.de", "valid.en", "valid.de"}) {
    write_file(folder / file, read_file(small.file(file)));
  }
  if (name == "words") write_file(folder / "train.de", read_file(small.file("train.en")));
  const Outcome outcome = run_kette(train_arguments(folder.path(), name, more));
  REQUIRE_MESSAGE(outcome.code == 0, outcome.err);
  return (folder / name).string();
}

/// As another program writes it: without what Kette says of a file.
void write_plainly(const std::filesystem::path& from, const std::filesystem::path& to) {
  const SafetensorsFile file = SafetensorsFile::open(from);
  std::vector<std::pair<std::string, kette::Tensor>> tensors;
  for (const std::string& name : file.names()) tensors.emplace_back(name, file.tensor(name));
  kette::write_safetensors(to, tensors, {}, kette::Checksum::none);
}

}  // namespace

TEST_CASE("strangers: files of parameters say whose they are, and average looks") {
  const ScratchFolder folder;
  const std::string own = SmallModel::get().model(),
                    seed = stranger(folder, "seed", {"--seed", "2"}),
                    words = stranger(folder, "words", {}), mean = (folder / "mean").string();
  const auto said = [](const std::string& model, const char* key) {
    return SafetensorsFile::open(last_checkpoint(model)).metadata().at(key);
  };
  CHECK(said(own, kette::kTokenizerKey) == said(seed, kette::kTokenizerKey));
  CHECK(said(own, kette::kTokenizerKey) != said(words, kette::kTokenizerKey));
  CHECK(said(own, kette::kRunKey) != said(seed, kette::kRunKey));
  const auto average = [&](const std::string& other, const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments = {"average", last_checkpoint(own), last_checkpoint(other),
                                          "--out", mean};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_kette(arguments);
  };
  const Outcome of_seed = average(seed);
  CHECK(of_seed.code == 1);
  CHECK(of_seed.says("expected a checkpoint of the run of those before it"));
  CHECK(of_seed.says("--any-run"));
  CHECK(average(seed, {"--any-run"}).code == 0);
  CHECK(SafetensorsFile::open(mean).metadata().at("averaged_runs") ==
        said(own, kette::kRunKey) + "," + said(seed, kette::kRunKey));
  for (const std::vector<std::string>& more : {std::vector<std::string>{}, {"--any-run"}}) {
    const Outcome of_words = average(words, more);
    CHECK(of_words.code == 1);
    CHECK(of_words.says("expected a checkpoint of the vocabulary of those before it"));
  }
  CHECK(run_kette({"average", "--model", own, "--last", "2", "--out", mean}).code == 0);
  CHECK(SafetensorsFile::open(mean).metadata().at(kette::kRunKey) == said(own, kette::kRunKey));
}

TEST_CASE("strangers: a checkpoint of another vocabulary, under every command that takes one") {
  const ScratchFolder folder;
  const SmallModel& small = SmallModel::get();
  const std::string own = small.model(), words = stranger(folder, "words", {}),
                    other = last_checkpoint(words);
  const std::string source = small.file("valid.en"), target = small.file("valid.de");
  for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
           {"translate", "--input", source},
           {"evaluate", "--src", source, "--ref", target},
           {"score", "--src", source, "--tgt", target},
           {"heads", "--src", source, "--tgt", target},
           {"explain", "the cat sees bread ."},
           {"quantize", "--out", (folder / "quantized").string()}}) {
    CAPTURE(command.front());
    std::vector<std::string> arguments = command;
    arguments.insert(arguments.end(), {"--model", own, "--checkpoint", other});
    const Outcome outcome = run_kette(arguments);
    CHECK(outcome.code == 1);
    CHECK(outcome.says("expected parameters of the vocabulary of " + own));
  }
  RunOptions options;
  options.input = "the cat sees bread .\n";
  // Of another seed it is a model like this one.
  const std::string seed = last_checkpoint(stranger(folder, "seed", {"--seed", "2"}));
  CHECK(run_kette({"translate", "--model", own, "--checkpoint", seed}, options).code == 0);
}

TEST_CASE("strangers: a file that another program wrote is read, and that is said") {
  const ScratchFolder folder;
  const SmallModel& small = SmallModel::get();
  const std::filesystem::path model = folder / "model", plain = folder / "plain.safetensors";
  std::filesystem::copy(small.model(), model, std::filesystem::copy_options::recursive);
  write_plainly(model / "model.safetensors", plain);
  RunOptions options;
  options.input = "the cat sees bread .\n";
  const Outcome expected = run_kette({"translate", "--model", small.model()}, options),
                beside = run_kette(
                    {"translate", "--model", small.model(), "--checkpoint", plain.string()},
                    options);
  CHECK(beside.out == expected.out);
  CHECK(beside.says("without Kette's checksum"));
  CHECK(beside.says("does not say of which vocabulary"));
  CHECK_FALSE(expected.says("vocabulary"));
  std::filesystem::rename(plain, model / "model.safetensors");
  const Outcome instead = run_kette({"translate", "--model", model.string()}, options);
  CHECK(instead.out == expected.out);
  CHECK(instead.says("model.safetensors, written by another program, without Kette's checksum"));
  // To start from, and to put adapters on, too.
  write_file(folder / "train.en", read_file(small.file("train.en")));
  for (const char* file : {"train.de", "valid.en", "valid.de"}) {
    write_file(folder / file, read_file(small.file(file)));
  }
  const Outcome tuned = run_kette({"train",
                                   "--src",
                                   (folder / "train.en").string(),
                                   "--tgt",
                                   (folder / "train.de").string(),
                                   "--valid-src",
                                   (folder / "valid.en").string(),
                                   "--valid-tgt",
                                   (folder / "valid.de").string(),
                                   "--from",
                                   model.string(),
                                   "--lora-rank",
                                   "2",
                                   "--out",
                                   (folder / "tuned").string(),
                                   "--steps",
                                   "2",
                                   "--quiet",
                                   "--threads",
                                   "1"});
  CHECK_MESSAGE(tuned.code == 0, tuned.err);
  CHECK(run_kette({"translate", "--model", (folder / "tuned").string()}, options).code == 0);
}
