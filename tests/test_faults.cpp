// tests/faults.txt, which scripts/mutate.sh plants, follows the source: a fault whose text is gone, or
// stands there twice, would no longer be tried.
#include <doctest/doctest.h>

#include <set>
#include <vector>

#include "tests/support.h"

namespace {

struct Fault {
  std::string title, file, before, after;
};

std::vector<Fault> listed_faults() {
  std::istringstream text(
      kette::testing::read_file(kette::testing::source_folder() / "tests" / "faults.txt"));
  std::vector<Fault> faults;
  Fault fault;
  const auto finish = [&] {
    if (!fault.file.empty()) faults.push_back(fault);
    fault = {};
  };
  for (std::string line; std::getline(text, line);) {
    const std::string content = line.size() > 2 ? line.substr(2) : "";
    const auto add_to = [&](std::string& part) { part += (part.empty() ? "" : "\n") + content; };
    if (line.empty()) {
      finish();
    } else if (line[0] == '#') {
      fault.title = content;
    } else if (line[0] == '-') {
      add_to(fault.before);
    } else if (line[0] == '+') {
      add_to(fault.after);
    } else {
      fault.file = line;
    }
  }
  finish();
  return faults;
}

}  // namespace

TEST_CASE("faults: each is of a text that its file has once") {
  std::set<std::string> titles;
  const std::vector<Fault> faults = listed_faults();
  CHECK(faults.size() > 200);
  for (const Fault& fault : faults) {
    CAPTURE(fault.title);
    CAPTURE(fault.file);
    CHECK(titles.insert(fault.title).second);
    REQUIRE(!fault.before.empty());
    CHECK(fault.before != fault.after);
    const std::string text =
        kette::testing::read_file(kette::testing::source_folder() / fault.file);
    const std::size_t place = text.find(fault.before);
    CHECK(place != std::string::npos);
    CHECK(text.find(fault.before, place + 1) == std::string::npos);
  }
}
