// The tables of words that the bundled corpus is made of.
#include <doctest/doctest.h>

#include "data/bundled/lexicon.h"
#include "tensor/error.h"
#include "tests/data/tiny_text.h"

using namespace kette::bundled;

TEST_CASE("a table of words says where it is wrong") {
  const std::string columns =
      "# nouns\nsingular\tplural\tgender\tgerman\tgenitive\tgerman_plural\tkinds\n";
  const std::vector<Noun> nouns = read_nouns(
      columns + "\n# people\nman\tmen\tm\tMann\tMannes\tMänner\tgendered kin\nmilk\t\tf\tMilch",
      "a.tsv");
  REQUIRE(nouns.size() == 2);
  CHECK(nouns[0].kinds == (kind::gendered | kind::kin));
  CHECK(nouns[1].gender == Gender::feminine);
  CHECK(nouns[1].kinds == 0);
  const auto complaint = [](const std::string& text) {
    return kette::testing::message_of([&] { read_nouns(text, "a.tsv"); });
  };
  CHECK(complaint(columns + "man\tmen\tx\n") ==
        "a.tsv:3: gender: expected one of m, f, n, given x");
  CHECK(complaint(columns + "man\tmen\n") ==
        "a.tsv:3: gender: expected one of m, f, n, given nothing");
  CHECK(complaint(columns + "man\tmen\tm\tMann\t\t\tkin drimk")
            .ends_with(", given drimk (did you mean drink?)"));
  CHECK(complaint(columns + "man\t\t\t\t\t\tkin\t\n") ==
        "a.tsv:3: expected at most 7 cells, as there are columns, given 8");
  CHECK(complaint("singular\tplural\nman\tmen\n") ==
        "a.tsv:2: expected a column gender, given none");
  CHECK(complaint(columns) ==
        "a.tsv: expected a line with the names of columns, and words, given no words");
  CHECK(complaint("") ==
        "a.tsv: expected a line with the names of columns, and words, given nothing");
}
