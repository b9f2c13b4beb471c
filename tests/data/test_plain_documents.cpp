#include <doctest/doctest.h>

#include "data/documents/table_document.h"
#include "data/documents/text_document.h"
#include "tensor/error.h"
#include "tests/data/document_cases.h"

using namespace kette;
using testing::shown;
using testing::with_text;

namespace {

using Shown = std::vector<std::string>;

Shown text_blocks(const std::string& bytes, TextLayout unit = TextLayout::paragraphs) {
  const auto read = [&](const std::string& all) { return read_text_document(all, "a.txt", unit); };
  CHECK(testing::faults_of_passes(bytes, read) == "");
  return testing::shown_blocks(*read(bytes));
}

Shown table_blocks(const std::string& bytes, const TableOptions& options = {}) {
  const auto read = [&](const std::string& all) { return read_tsv(all, "a.tsv", options); };
  CHECK(testing::faults_of_passes(bytes, read) == "");
  return testing::shown_blocks(*read(bytes));
}

}  // namespace

TEST_CASE("plain text: paragraphs, or lines") {
  const std::string text =
      "\xEF\xBB\xBFOne line\n  and more.\r\n \t\nTwo  words\n\n- item\n  goes on\n2) other\n-----\n";
  CHECK(text_blocks(text) ==
        Shown{"One line{\n  }and more.", "Two{  }words", "item{\n  }goes on", "other"});
  CHECK(text_blocks(text, TextLayout::lines) ==
        Shown{"One line", "and more.", "Two{  }words", "item", "goes on", "other"});
  CHECK(text_blocks("see http://x.y/z, or a@b.org now") ==
        Shown{"see {http://x.y/z}, or {a@b.org }now"});
  CHECK(text_blocks("One\n-----\ntwo\n\u2500\u2500\nthree\n...\nfour 5\n6\n") ==
        Shown{"One", "two", "three", "four 5{\n}6"});
  CHECK(text_blocks("One\n+--x--+\n| two | see a@b.org now |\n|  3 |\nfour\n") ==
        Shown{"One", "two", "see {a@b.org }now", "four"});
  CHECK(text_blocks("").empty());
  CHECK(text_blocks("\n\n12\n").empty());
}

TEST_CASE("tables: the chosen cells are blocks") {
  const std::string table =
      "id\ttext\tnote\r\na1\tOne  text.\tx y\r\n\r\n2\t\t\r\n3\ttwo\tz\textra";
  CHECK(table_blocks(table) ==
        Shown{"id", "text", "note", "a1", "One{  }text.", "x y", "two", "z", "extra"});
  CHECK(table_blocks(table, {.columns = {2}, .header = true}) == Shown{"One{  }text.", "two"});
  CHECK(table_blocks("\xEF\xBB\xBFone\ntwo") == Shown{"one", "two"});
  CHECK(with_text(*read_tsv("a\tb\n", "a.tsv"), 0, "x\ty\nz") == "x y z\tb\n");
}

TEST_CASE("CSV: cells are blocks, with quotes, line ends and doubled quotes inside") {
  const auto read = [](const std::string& all) { return read_csv(all, "a.csv"); };
  const auto blocks = [&](const std::string& bytes) {
    CHECK(testing::faults_of_passes(bytes, read) == "");
    return testing::shown_blocks(*read(bytes));
  };
  CHECK(blocks("id,text\r\n1,\"One, two \"\"x\"\".\"\r\n\r\n2, 5\" wide ,\"a\nb\n\n c\",\"\"\n") ==
        Shown{"id", "text", "One, two \"x\".", "5\" wide", "a{\n}b", "c"});
  CHECK(blocks("\xEF\xBB\xBFone; 1,5;\"see\thttp://x.y\"\"; now\"") ==
        Shown{"one", "see{\t}{http://x.y}\"; now"});
  CHECK(testing::shown_blocks(
            *read_csv("id,a,b\n1,x,y\n", "a.csv", {.columns = {3}, .header = true})) == Shown{"y"});
  // Quotes come where a translation needs them.
  const auto changed = [&](const std::string& bytes, const std::string& text) {
    return with_text(*read(bytes), 0, text);
  };
  CHECK(changed("1, ab ,c\n", "x, y") == "1,\" x, y \",c\n");
  CHECK(changed("1,ab,c\n", "a \"b\"") == "1,\"a \"\"b\"\"\",c\n");
  CHECK(changed("1,ab,c\n", "a; b") == "1,a; b,c\n");
  CHECK(changed("1;ab;c\n", "a; b\nc") == "1;\"a; b c\";c\n");
  CHECK(changed("1,\"a, b\",c\n", "a \"b\"") == "1,\"a \"\"b\"\"\",c\n");
}

TEST_CASE("CSV: a torn row is an error with its place") {
  CHECK_THROWS_WITH_AS(
      read_csv("a,b\n1\n", "a.csv"),
      "a.csv:2:1: expected 2 columns or more, given 1 (cells are parted by commas)", Error);
  CHECK_THROWS_WITH_AS(
      read_csv("a,\"b\n", "a.csv"),
      "a.csv:1:3: expected a quote at the end of the cell that begins with one, given none", Error);
  CHECK_THROWS_WITH_AS(
      read_csv("\"a\"b,c\n", "a.csv"),
      "a.csv:1:4: expected a quoted cell to end, given \"b,c\" behind its quote (a "
      "quote in a cell is doubled)",
      Error);
}

TEST_CASE("tables: a row with fewer columns is an error with its line") {
  CHECK_THROWS_WITH_AS(read_tsv("a\tb\n1\t2\n3\n", "a.tsv"),
                       "a.tsv:3:1: expected 2 columns or more, given 1 (cells are parted by tabs)",
                       Error);
  CHECK_THROWS_WITH_AS(read_tsv("a\tb\n", "a.tsv", {.columns = {1, 4}}),
                       "a.tsv:1:1: expected 4 columns or more, given 2 (cells are parted by tabs)",
                       Error);
  CHECK_THROWS_WITH_AS(read_tsv("a\n", "a.tsv", {.columns = {0}}),
                       "a.tsv: expected columns from 1 on, given 0", Error);
}

TEST_CASE("plain text and tables: hostile input takes time in proportion") {
  for (const std::string& part :
       {std::string("a\n"), std::string("\t"), std::string("a\tb\n"), std::string("- "),
        std::string("@"), std::string("a@"), std::string("www."), std::string("http://"),
        std::string("| "), std::string("\"\""), std::string(",")}) {
    CAPTURE(part);
    const auto both = [&](std::size_t bytes) {
      read_text_document(testing::repeated(part, bytes), "x");
      read_tsv(testing::repeated(part, bytes), "x", {.columns = {1}});
      read_csv("\"" + testing::repeated(part, bytes) + "\"", "x");
      read_csv(testing::repeated(part, bytes), "x", {.columns = {1}});
    };
    CHECK(testing::growth(both, 50'000) < 12);
  }
}

TEST_CASE(
    "text: a line that a translation has no word for is none, for it would end the paragraph") {
  const auto document = kette::read_text_document("one two\nthree four\nfive.\n\nsix\n", "x");
  std::vector<TextBlock> blocks = document->blocks();
  REQUIRE(blocks[0].marks.size() == 2);
  blocks[0].text = "all in.";
  blocks[0].marks[0].at = blocks[0].marks[1].at = 3;
  CHECK(document->with(blocks) == "all\nin.\n\nsix\n");
  blocks[0].marks[1].at = blocks[0].text.size();
  CHECK(document->with(blocks) == "all\nin.\n\nsix\n");
}
