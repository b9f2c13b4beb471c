#include <doctest/doctest.h>

#include "data/documents/po_document.h"
#include "tensor/error.h"
#include "tests/data/bilingual_swaps.h"
#include "tests/data/document_doubles.h"
#include "tests/support.h"

using namespace kette;

namespace {

std::string po_blocks(const std::string& bytes) {
  const auto document = read_po(bytes, "de.po");
  CHECK(testing::fault_of(*document) == "");
  return testing::shown(*document);
}

std::string filled_po(const std::string& bytes) {
  const auto document = read_po(bytes, "de.po");
  return document->with(document->blocks());
}

}  // namespace

TEST_CASE(
    "po: the msgid of an empty msgstr is a block, and what was read is written to the msgstr") {
  const std::string entry =
      "# note\n#: a.c:1\nmsgctxt \"menu\"\nmsgid \"One \\\"two\\\" %s\"\nmsgstr ";
  CHECK(po_blocks(entry + "\"\"\n") == "One \"two\" %s");
  CHECK(filled_po(entry + "\"\"\n") == entry + "\"One \\\"two\\\" %s\"\n");
  CHECK(testing::with_text(*read_po(entry + "\"\"\n", "de.po"), "Eins \"zwei\" \\ %s") ==
        entry + "\"Eins \\\"zwei\\\" \\\\ %s\"\n");
}

TEST_CASE("po: translated, fuzzy and obsolete entries and the header are left alone") {
  const std::string bytes =
      "msgid \"\"\nmsgstr \"\"\n\"Content-Type: text/plain; charset=UTF-8\\n\"\n\n"
      "msgid \"One\"\nmsgstr \"Eins\"\n\n#, c-format, fuzzy\n#| msgid \"tow\"\nmsgid \"two\"\nmsgstr \"\"\n\n"
      "msgid \"three\"\nmsgstr \"\"\n\"drei\"\n\n#~ msgid \"four\"\n#~ msgstr \"\"\n\nmsgid \" \"\nmsgstr \"\"\n";
  CHECK(po_blocks(bytes) == "");
  CHECK(filled_po(bytes) == bytes);
}

TEST_CASE("po: lines are cut as those of the msgid, and begin and end as it does") {
  const std::string id = "\"\"\n\"One two \"\n\"three\\n\"\n\"\\n\"\n\"four\\n\"\n";
  CHECK(po_blocks("msgid " + id + "msgstr \"\"\n") == "One two{ \"\n\"}three | four");
  CHECK(filled_po("msgid " + id + "msgstr \"\"\n") == "msgid " + id + "msgstr " + id);
  const auto document = read_po("msgid \"\"\n\"One two \"\n\"three\\n\"\nmsgstr \"\"\n", "de.po");
  CHECK(testing::with_text(*document, "Eins* zwei") ==
        "msgid \"\"\n\"One two \"\n\"three\\n\"\nmsgstr \"\"\n\"Eins \"\n\"zwei\\n\"\n");
  CHECK(po_blocks("msgid \"one\"\n\"two\"\nmsgstr \"\"\n") == "one{\"\n\"}two");
}

TEST_CASE("po: a long line that goes on is one block with the next, lists are not") {
  CHECK(
      po_blocks(
          "msgid \"\"\n\"A line that was broken since it grew too long\\n\"\n\"for a screen.\"\nmsgstr \"\"\n") ==
      "A line that was broken since it grew too long{\\n\"\n\"}for a screen.");
  CHECK(po_blocks("msgid \"One:\\n\"\n\"  - two\\n\"\n\"three\\tfour\"\nmsgstr \"\"\n") ==
        "One: | - two | three | four");
}

TEST_CASE("po: tabs border blocks") {
  const std::string ids = "msgid \"&Open file\\tCtrl+O\"\n";
  CHECK(po_blocks(ids + "msgstr \"\"\n") == "&Open file | Ctrl+O");
  CHECK(filled_po(ids + "msgstr \"\"\n") == ids + "msgstr \"&Open file\\tCtrl+O\"\n");
}

TEST_CASE("po: tags of HTML are marks, and placeholders are text") {
  const auto blocks = [](const std::string& id) {
    const std::string ids = "msgid \"" + id + "\"\n";
    CHECK(filled_po(ids + "msgstr \"\"\n") == ids + "msgstr \"" + id + "\"\n");
    return po_blocks(ids + "msgstr \"\"\n");
  };
  const std::string link = "<a href=\\\"%s\\\" title=\\\"x > y\\\">";
  CHECK(blocks("Click " + link + "the house</a> to see it.") ==
        "Click {" + link + "}the house{</a>} to see it.");
  CHECK(blocks("<p>One <b>two<br/>three</b>.</p><p>Four</p>") ==
        "One {<b>}two{<br/>}three{</b>}. | Four");
  CHECK(blocks("Run <code>make <b>x</b></code> in <img src='a'>") ==
        "Run {<code>make <b>x</b></code>} in");
  CHECK(blocks("cp <file> <dir>, a < b and b > a, <me@x.org>") ==
        "cp <file> <dir>, a < b and b > a, <me@x.org>");
  CHECK(blocks("One <a \"\n\"href=x>two</a>") == "One {<a \"\n\"href=x>}two{</a>}");
}

TEST_CASE("po: a translation with fewer words than lines has no empty ones") {
  const auto document = read_po("msgid \"\"\n\"Thank \"\n\"you\"\nmsgstr \"\"\n", "de.po");
  CHECK(testing::with_text(*document, "Danke*") ==
        "msgid \"\"\n\"Thank \"\n\"you\"\nmsgstr \"\"\n\"Danke\"\n");
}

TEST_CASE("po: msgid goes to msgstr[0], msgid_plural to all others") {
  const std::string ids = "msgid \"%d file\"\nmsgid_plural \"%d files\"\n";
  CHECK(filled_po(ids + "msgstr[0] \"\"\r\nmsgstr[1] \"\"\nmsgstr[2] \"x\"\n") ==
        ids + "msgstr[0] \"%d file\"\r\nmsgstr[1] \"%d files\"\nmsgstr[2] \"x\"\n");
}

TEST_CASE("po: two passes of words in reverse give the msgids") {
  const std::string bytes =
      "msgid \"One \\\"two\\\" \"\n\"three\\n\"\nmsgid_plural \"four\\\\ five\"\n"
      "msgstr[0] \"\"\nmsgstr[1] \"\"\n";
  const auto document = read_po(bytes, "de.po");
  const std::string once =
      testing::without_msgstrs(document->with(testing::inverse(document->blocks())), true);
  CHECK(once.substr(0, 20) == "msgid \"enO \\\"owt\\\" \"");
  const auto again = read_po(once, "de.po");
  CHECK(testing::without_msgstrs(again->with(testing::inverse(again->blocks())), true) == bytes);
}

TEST_CASE("po: what gettext would not read is an error with its place") {
  const auto error = [](const std::string& bytes) {
    return testing::message_of([&] { read_po(bytes, "de.po"); });
  };
  CHECK(
      error("msgid \"one\nmsgstr \"\"\n") ==
      "de.po:1:7: expected a quote at the end of a string that begins here, given none in its line");
  CHECK(error("msgid \"one\\\nmsgstr \"\"\n").substr(0, 10) == "de.po:1:7:");
  CHECK(
      error("msgid \"one\"\n<p>") ==
      "de.po:2:1: expected msgctxt, msgid, msgid_plural, msgstr or a comment, given something else (is "
      "this a PO file?)");
  CHECK(error("msgid one") == "de.po:1:7: expected a string in quotes, given none");
  CHECK(error("msgid \"a\"\nmsgid \"b\"") ==
        "de.po:2:1: expected a msgstr before the next msgid, given none");
  CHECK(error("msgstr \"a\"").substr(0, 10) == "de.po:1:1:");
  CHECK(error("msgid \"a\"\nmsgstr[x] \"a\"") ==
        "de.po:2:7: expected msgstr[0] or another number, given none");
  CHECK(error("msgid \"\"\nmsgstr \"charset=ISO-8859-1\\n\"\n\nmsgid \"\xE9\"\nmsgstr \"\"") ==
        "de.po:2:8: expected a PO file in UTF-8, given the charset iso-8859-1 (convert it: msgconv "
        "--to-code=UTF-8)");
  CHECK(error("msgid \"\xE9\"\nmsgstr \"\"").substr(0, 30) == "de.po:1:8: expected UTF-8, giv");
  CHECK(error(std::string("msgid \"\0\"", 9)).substr(0, 10) == "de.po:1:8:");
}
