// Two options of a command that name one file to write: all that the first has written would be lost. And - is no file.
#include <doctest/doctest.h>

#include <filesystem>

#include "tests/cli/call_kette.h"
#include "tests/cli/refusals.h"

using namespace kette::testing;

TEST_CASE("two outputs: they are two files") {
  const SmallModel& small = SmallModel::get();
  const ScratchFolder folder;
  const std::string model = small.model(), en = small.file("valid.en"), de = small.file("valid.de"),
                    one = (folder / "one").string(), same = (folder.path() / "." / "one").string();
  const std::vector<std::string> split = {"split", "--language", "en", "--input", en, "--output"};
  const auto refused = [](const std::vector<std::string>& words, const std::string& second,
                          const std::string& first) {
    const Outcome outcome = call_kette(words);
    CAPTURE(outcome.err);
    CHECK(outcome.code == 2);
    CHECK(outcome.says(second + ": expected another file than that of " + first +
                       ", given the same, "));
  };
  const std::vector<std::string> translate = {"translate", "--model", model, "--input", en};
  refused(with(translate, {"--output", one, "--json=" + same}), "--json", "--output");
  refused(with(translate, {"--report", same, "--output", one}), "--report", "--output");
  refused(with(translate, {"--report", one, "--json=" + one}), "--json", "--report");
  refused({"evaluate", "--model", model, "--src", en, "--ref", de, "--output", one, "--out", same},
          "--out", "--output");
  refused({"parse", "--model", model, "--input", en, "--output", one, "--json=" + same}, "--json",
          "--output");
  refused(with(split, {one, "--json=" + same}), "--json", "--output");
  refused({"trace", "--preset", "tiny", "--out", one, "--perfetto", same}, "--perfetto", "--out");
  refused({"plot", model, "--csv", one, "--out", same}, "--out", "--csv");
  refused({"check", "--src", en, "--tgt", de, "--page", one, "--json=" + same}, "--json", "--page");
  refused({"average", "--model", model, "--last", "2", "--out", one, "--json=" + same}, "--json",
          "--out");
  refused({"quantize", "--model", model, "--out", one, "--json=" + same}, "--json", "--out");
  refused(train_arguments(small.folder(), "never", {"--json=" + small.file("never")}), "--json",
          "--out");
  CHECK_FALSE(std::filesystem::exists(one));
  // Through a link, and where a file of options says so.
  write_file(one, "");
  const std::string link = (folder / "link").string(), options = (folder / "options").string();
  std::filesystem::create_symlink(one, link);
  refused(with(split, {link, "--json=" + one}), "--json", "--output");
  write_file(options, "json = \"" + one + "\"\n");
  refused(with(split, {one, "--config", options}), options + ":1: --json", "--output");
  // Neither standard output nor a device is a file, and --json alone names none.
  for (const std::vector<std::string>& apart : std::vector<std::vector<std::string>>{
           {"-", "--json=" + one}, {"/dev/null", "--json=" + one}, {link, "--json"}}) {
    const Outcome outcome = call_kette(with(split, apart));
    CAPTURE(outcome.err);
    CHECK(outcome.code == 0);
  }
}

TEST_CASE("outputs: - is standard output where the option says so, and else no file of that name") {
  const SmallModel& small = SmallModel::get();
  const std::string model = small.model();
  const std::string said = ": expected a path, given -, which only options that say so take for";
  check_refused(call_kette({"plot", model, "--csv", "-"}), "--csv" + said, 2);
  check_refused(call_kette({"plot", model, "--out=-"}), "--out" + said, 2);
  check_refused(call_kette({"plot", model, "--json=-"}), "--json" + said, 2);
  check_refused(call_kette({"trace", "--preset", "tiny", "--perfetto", "-"}), "--perfetto" + said,
                2);
  check_refused(call_kette({"quantize", "--model", model, "--out", "-"}), "--out" + said, 2);
  const Outcome split =
      call_kette({"split", "--language", "en", "--input", small.file("valid.en"), "--output", "-"});
  CHECK(split.code == 0);
  CHECK(contains(split.out, "the cat sees bread"));
  CHECK_FALSE(std::filesystem::exists("-"));
}
