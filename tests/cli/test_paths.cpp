// Names of files that are no text.
#include <doctest/doctest.h>

#include <algorithm>

#include "data/files/text_file.h"
#include "tests/cli/run_kette.h"

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
