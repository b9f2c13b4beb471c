// The folders form a chain: a file includes only from its own folder and from those before it.
#include <doctest/doctest.h>

#include <algorithm>
#include <regex>

#include "tests/support.h"

TEST_CASE("a folder includes only folders before it in the order of dependency") {
  const std::vector<std::string> order = {"tensor", "autograd", "nn",      "data", "models",
                                          "decode", "train",    "inspect", "cli"};
  const std::filesystem::path root = KETTE_SOURCE_DIR;
  const std::regex include("#include \"([a-z]+)/");
  int files = 0;
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    if (!std::filesystem::exists(root / order[rank])) continue;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / order[rank])) {
      const auto extension = entry.path().extension();
      if (extension != ".h" && extension != ".cpp" && extension != ".cu") continue;
      ++files;
      const std::string text = kette::testing::read_file(entry.path());
      for (std::sregex_iterator match(text.begin(), text.end(), include), end; match != end;
           ++match) {
        const auto found = std::find(order.begin(), order.end(), (*match)[1].str());
        CAPTURE(entry.path().string());
        CAPTURE(match->str());
        REQUIRE(found != order.end());
        CHECK(found - order.begin() <= static_cast<std::ptrdiff_t>(rank));
      }
    }
  }
  CHECK(files > 50);
}

TEST_CASE("no source file is longer than 400 lines") {
  const std::filesystem::path root = KETTE_SOURCE_DIR;
  for (const char* folder : {"tensor", "autograd", "nn", "data", "models", "decode", "train",
                             "inspect", "cli", "tests"}) {
    if (!std::filesystem::exists(root / folder)) continue;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
      const auto extension = entry.path().extension();
      if (extension != ".h" && extension != ".cpp" && extension != ".cu") continue;
      const std::string text = kette::testing::read_file(entry.path());
      CAPTURE(entry.path().string());
      CHECK(std::count(text.begin(), text.end(), '\n') <= 400);
    }
  }
}
