// scripts/setup.sh: what it says of a system that lacks something.
#include <doctest/doctest.h>

#include "tests/cli/run_bash.h"

using namespace kette::testing;

TEST_CASE("setup: an older CMake is named, with the one that is needed") {
  const ScratchFolder folder;
  // Nothing is installed: a package that is missing ends it, too.
  write_file(folder / "apt-get", "#!/bin/sh\nexit 1\n");
  write_file(folder / "cmake", "#!/bin/sh\necho cmake version 3.22.1\n");
  const std::string path = folder.path().string();
  const Outcome outcome =
      run_bash("chmod +x '" + path + "'/*; PATH='" + path + "':$PATH scripts/setup.sh");
  CHECK(outcome.code == 1);
  if (contains(outcome.out, "setup: missing:")) {
    MESSAGE("skipped: this system lacks what Kette is built with");
    return;
  }
  CHECK(contains(outcome.out, "setup.sh: expected CMake 3.24 or later, given 3.22.1 ("));
  CHECK_FALSE(contains(outcome.out, "everything is there"));
  const Outcome unknown = run_bash("scripts/setup.sh --pythn");
  CHECK(unknown.code == 2);
  CHECK(contains(unknown.out, "--python, "));
  CHECK(run_bash("scripts/setup.sh --python --nonsense").code == 2);
}
