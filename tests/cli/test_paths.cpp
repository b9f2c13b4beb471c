// Names of files that are no text.
#include <doctest/doctest.h>

#include <algorithm>

#include "data/files/safetensors.h"
#include "data/files/text_file.h"
#include "tests/cli/refusals.h"

using namespace kette;
using namespace kette::testing;

TEST_CASE("paths: a path is bytes, and what TOML cannot hold stays out of the file") {
  const SmallModel& small = SmallModel::get();
  const ScratchFolder folder;
  const std::string out = (folder / "bad\xff").string(), source = (folder / "t\xff.en").string();
  write_file(source, read_file(small.file("train.en")));
  std::vector<std::string> arguments = train_arguments(small.folder(), "unused", {"--page"});
  *(std::find(arguments.begin(), arguments.end(), "--out") + 1) = out;
  *(std::find(arguments.begin(), arguments.end(), "--src") + 1) = source;
  const Outcome first = run_kette(arguments);
  CHECK_MESSAGE(first.code == 0, first.err);
  const std::string config = read_file(out + "/config.toml");
  CHECK(contains(config,
                 "# src is [\"" + folder.path().string() + "/t\\xff.en\"], which TOML cannot"));
  CHECK(contains(config, "# out is "));
  arguments.insert(arguments.end(), {"--resume"});
  *(std::find(arguments.begin(), arguments.end(), "--steps") + 1) = "10";
  CHECK(run_kette(arguments).code == 0);
  CHECK(run_kette({"plot", out, "--out", (folder / "plot.html").string()}).code == 0);
  CHECK(run_kette({"translate", "--model", out, "--input", small.file("valid.en")}).code == 0);
  // The file with the paths beside it trains the same.
  const Outcome again = run_kette({"train", "--config", out + "/config.toml", "--src", source,
                                   "--out", (folder / "again").string()});
  CHECK_MESSAGE(again.code == 0, again.err);
}

TEST_CASE("paths: what a model is made of may have any name, but for the base that adapters name") {
  const SmallModel& small = SmallModel::get();
  const ScratchFolder folder;
  const auto path = [&](const char* name) { return (folder / name).string(); };
  const auto adapt = [&](const std::string& base, const std::string& out) {
    std::vector<std::string> arguments = {"train",       "--from", base,      "--out", out,
                                          "--lora-rank", "2",      "--steps", "1",     "--quiet"};
    for (const char* role : {"src", "tgt", "valid-src", "valid-tgt"}) {
      const std::string option = role, side = option.ends_with("src") ? ".en" : ".de";
      arguments.push_back("--" + option);
      arguments.push_back(small.file((option.starts_with("valid") ? "valid" : "train") + side));
    }
    return run_kette(arguments);
  };
  const std::string base = path("b\xffse"), adapters = path("ad\xffpters"), theirs = path("hf\xff");
  std::filesystem::copy(small.model(), base);
  check_refused(adapt(base, path("adapters")),
                "expected a base whose path from its adapters is in UTF-8", 2);
  CHECK(!std::filesystem::exists(path("adapters")));

  std::filesystem::copy(small.model(), path("base"));
  const Outcome adapted = adapt(path("base"), adapters);
  CHECK_MESSAGE(adapted.code == 0, adapted.err);
  const Outcome merged = run_kette({"merge", "--model", adapters, "--out", path("merged")});
  CHECK_MESSAGE(merged.code == 0, merged.err);

  std::filesystem::copy(source_folder() / "tests/fixtures/hugging_face/gpt2", theirs);
  const Outcome imported = run_kette({"import", "--from", theirs, "--out", path("ours")});
  CHECK_MESSAGE(imported.code == 0, imported.err);
  const SafetensorsFile ours = SafetensorsFile::open(path("ours/model.safetensors"));
  CHECK(ours.metadata().at("imported_from").ends_with("hf\\xff"));
}
