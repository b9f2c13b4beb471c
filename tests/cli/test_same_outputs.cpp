// scripts/same_outputs.py: its list has each command of the program, and it says what the list lacks and where two
// programs part.
#include <doctest/doctest.h>

#include "tests/cli/run_bash.h"

using namespace kette::testing;

namespace {

const std::string kScript = "PYTHONDONTWRITEBYTECODE=1 python3 scripts/same_outputs.py ";

bool has_python() {
  const bool there = run_bash("python3 --version").code == 0;
  if (!there) MESSAGE("skipped: the program python3 is not installed");
  return there;
}

void write_program(const std::filesystem::path& file, const std::string& shell) {
  write_file(file, "#!/bin/sh\n" + shell);
  std::filesystem::permissions(file, std::filesystem::perms::owner_all);
}

}  // namespace

TEST_CASE("same_outputs.py runs each command of the program, and each option of kette translate") {
  if (!has_python()) return;
  const Outcome outcome = run_bash(kScript + "--check '" + kette_binary() + "'");
  CAPTURE(outcome.out);
  CHECK(outcome.code == 0);
  CHECK(outcome.out.empty());
}

TEST_CASE("same_outputs.py names the commands and options that its list lacks") {
  if (!has_python()) return;
  const ScratchFolder folder;
  write_program(
      folder / "kette",
      "echo '  -h,--help  Print\n  --sing,--no-sing  Sing\n  dance  Dance\n  train  Train'\n");
  const Outcome outcome = run_bash(kScript + "--check '" + (folder / "kette").string() + "'");
  CHECK(outcome.code == 1);
  CHECK(outcome.out ==
        "expected a command with kette dance, or a reason in NOT_RUN, given none\n"
        "expected a command with kette translate --sing, or a reason in NOT_RUN, given none\n"
        "expected a command with kette translate --no-sing, or a reason in NOT_RUN, given none\n");
}

TEST_CASE("same_outputs.py finds a byte of one command that another program writes otherwise") {
  const std::string kette = kette_binary();
  const auto corpus = std::filesystem::path(kette).parent_path() / "kette-corpus";
  if (!has_python() || !std::filesystem::exists(corpus)) return;
  const ScratchFolder folder;
  const std::string other = (folder / "kette").string();
  write_program(other, "'" + kette + "' \"$@\" | sed 's/smooth:exp/smooth:exq/'\n");
  const auto compare = [&](const std::string& with, const std::string& more = "") {
    std::filesystem::remove_all(folder / "work");
    return run_bash(kScript + "'" + kette + "' '" + with + "' --only '^bleu$' --work '" +
                    (folder / "work").string() + "'" + more);
  };
  const Outcome same = compare(kette);
  CAPTURE(same.out);
  CHECK(same.code == 0);
  CHECK(contains(same.out, ": 1 same, 0 differs, 0 allowed, 0 skipped\n"));
  const Outcome differs = compare(other);
  CAPTURE(differs.out);
  CHECK(differs.code == 1);
  CHECK(contains(differs.out, ": 0 same, 1 differs, 0 allowed, 0 skipped\n"));
  CHECK(contains(differs.out, "stdout line "));
  CHECK(contains(differs.out, "smooth:exq"));
  write_file(folder / "allowed", "bleu: the signature has another name\n");
  const Outcome allowed = compare(other, " --allow '" + (folder / "allowed").string() + "'");
  CHECK(allowed.code == 0);
  CHECK(contains(allowed.out, "the signature has another name"));
  CHECK(compare(kette, " --allow '" + other + "'").code == 1);
}
