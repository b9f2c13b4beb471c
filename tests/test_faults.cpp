// tests/faults.txt, which scripts/mutate.sh plants, follows the source: a fault whose text is gone, or
// stands there twice, would no longer be tried.
#include <doctest/doctest.h>

#include <cstdlib>

#include "tests/support.h"

using namespace kette::testing;

TEST_CASE("faults: each is of a text that its file has once") {
  if (std::system("command -v perl > /dev/null") != 0) {
    MESSAGE("skipped: no perl");
    return;
  }
  const ScratchFolder folder;
  const auto said = folder / "said", script = source_folder() / "scripts" / "mutate.sh";
  const int status =
      std::system(("'" + script.string() + "' --check > '" + said.string() + "' 2>&1").c_str());
  const std::string answer = read_file(said);
  CAPTURE(answer);
  REQUIRE(status == 0);
  CHECK(std::stoi(answer) > 200);
}
