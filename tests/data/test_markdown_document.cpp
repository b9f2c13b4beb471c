#include <doctest/doctest.h>

#include "data/documents/markdown_document.h"
#include "tensor/error.h"
#include "tests/data/document_cases.h"

using namespace kette;
using testing::shown;
using testing::with_text;

namespace {

using Shown = std::vector<std::string>;

std::unique_ptr<Document> markdown(const std::string& bytes) {
  return read_markdown(bytes, "doc.md");
}

Shown blocks(const std::string& bytes) {
  CHECK(testing::faults_of_passes(bytes, markdown) == "");
  return testing::shown_blocks(*markdown(bytes));
}

}  // namespace

TEST_CASE("Markdown: headings, paragraphs and soft line ends") {
  CHECK(blocks("# One #\n\n## Two {#id}\n\nThree\n=====\nFour\nfive\n----\n") ==
        Shown{"One", "Two", "Three", "Four{\n}five"});
  CHECK(blocks("one\r\ntwo\r\n\r\n  three") == Shown{"one{\r\n}two", "three"});
  CHECK(blocks("one\rtwo") == Shown{"one{\r}two"});
  CHECK(blocks("\xEF\xBB\xBF# One") == Shown{"One"});
  CHECK(blocks("hard  \nbreak\\\nhere") == Shown{"hard{  \n}break{\\\n}here"});
  CHECK(blocks("####### seven\n\n#none") == Shown{"####### seven", "#none"});
  CHECK(blocks("12\n\n***\n\n---\n").empty());
  CHECK(blocks("").empty());
}

TEST_CASE("Markdown: quotes and lists keep what their lines begin with") {
  CHECK(blocks("> one\n> two\n>> deep\nlazy\n") == Shown{"one{\n> }two", "deep{\n}lazy"});
  CHECK(blocks("- one\n- [ ] two\n  goes on\n  1. three\n\n     more\n* [x] four\n") ==
        Shown{"one", "two{\n  }goes on", "three", "more", "four"});
  CHECK(blocks("text\n2. no list\n") == Shown{"text{\n}2. no list"});
  CHECK(blocks("text\n1. list\n") == Shown{"text", "list"});
  CHECK(blocks("-\n\n  apart\n") == Shown{"apart"});
  CHECK(blocks("[^n]: a note\n\n    goes on\n") == Shown{"a note", "goes on"});
}

TEST_CASE("Markdown: code, link definitions and front matter stay") {
  CHECK(blocks("---\ntitle: x\n---\ntext\n") == Shown{"text"});
  CHECK(blocks("+++\ntitle = 1\n+++\ntext\n") == Shown{"text"});
  CHECK(blocks("---\n\nrule\n") == Shown{"rule"});
  CHECK(blocks("```c\nint x;\n```\ntext\n~~~\nno end\n") == Shown{"text"});
  CHECK(blocks("    code\n\ntext\n") == Shown{"text"});
  CHECK(blocks("text\n<!-- one\n\ntwo -->\nmore\n") == Shown{"text", "more"});
  CHECK(blocks("[a]: /url\n  'title'\n[b]: <x y>\ntext\n") == Shown{"text"});
}

TEST_CASE("Markdown: HTML is read as HTML") {
  CHECK(blocks("<div>\nhtml\n</div>\n\ntext\n") == Shown{"html", "text"});
  CHECK(blocks("- one\n\n  <p align=\"center\">\n  <b>two</b> *x*<br>three</p>\n\nfour\n") ==
        Shown{"one", "{<b>}two{</b>} *x*", "three", "four"});
  CHECK(blocks("<details><summary>one</summary>\n\n*two*\n\n</details>\n") == Shown{"one", "two"});
  CHECK(blocks("<pre>\none\n\ntwo</pre>\n<meta charset=latin1>\n").empty());
  const auto document = markdown("<p>one two\nthree\nfour</p>\n\nfive\n");
  std::vector<TextBlock> translated = document->blocks();
  translated[0].text = "eins & <zwei>";
  translated[0].marks[0].at = translated[0].marks[1].at = 4;
  CHECK(document->with(translated) == "<p>eins\n&amp; &lt;zwei&gt;</p>\n\nfive\n");
  CHECK(markdown("text\n\n> <p>one\n> two</p>\n")->notes() ==
        Shown{"doc.md:3: left as it is: HTML in a quote"});
  CHECK(blocks("> <p>one</p>\n") == Shown{"one"});
}

TEST_CASE("Markdown: alerts, directives and admonitions keep their lines") {
  CHECK(blocks("> [!NOTE]\n> one\n> two\n") == Shown{"one{\n> }two"});
  CHECK(blocks("> [!tip]- A title\n> text\n") == Shown{"A title", "text"});
  CHECK(blocks("> [!NOTE] and [!x]: text\n> [!NOTE]\n").size() == 2);
  CHECK(blocks("before\n:::note\none\n:::\nafter\n") == Shown{"before", "one", "after"});
  CHECK(markdown(":::note\na\n:::\n\n::: {.tip}\n:::\n\n:::tip[The dog]\nb\n:::\n")->notes() ==
        Shown{"doc.md:8: left as it is: the title of a directive"});
  CHECK(blocks("!!! note \"The dog\"\n    one\n\n    two\n\nthree\n") ==
        Shown{"The dog", "one", "two", "three"});
  CHECK(blocks("??? note\n    one\n\n=== \"A tab\"\n\n    two\n!!! tip inline end\n    three") ==
        Shown{"one", "A tab", "two", "three"});
  CHECK(blocks("!!! Stop it now\n") == Shown{"!!! Stop it now"});
  CHECK(with_text(*markdown("text\n"), 0, "::: a") == "\\::: a\n");
  CHECK(with_text(*markdown("text\n"), 0, "??? a") == "\\??? a\n");
}

TEST_CASE("Markdown: a line break is white space") {
  CHECK(blocks("| One<br>two |\n|---|\n") == Shown{"One{<br>}two"});
  CHECK(markdown("One<br/>two<BR>\nthree\n")->blocks()[0].text == "One two three");
}

TEST_CASE("Markdown: a translation with fewer words than lines has no empty ones") {
  const auto fewer = [](const std::string& bytes, const std::string& text, std::size_t at) {
    const auto document = markdown(bytes);
    std::vector<TextBlock> translated = document->blocks();
    translated[0].text = text;
    for (Mark& mark : translated[0].marks) mark.at = at;
    return document->with(translated);
  };
  CHECK(fewer("Thank\nyou\nvery\nmuch\n", "Vielen Dank", 6) == "Vielen\nDank\n");
  CHECK(fewer("> Thank\n> you\n> *so*  \n> much\n", "Dank", 4).find(">\n") == std::string::npos);
  CHECK(fewer("Thank\nyou\n===\n", "Danke", 5) == "Danke\n===\n");
  CHECK(fewer("Thank<br>\nyou<br>\nmuch\n", "Vielen Dank", 6) == "Vielen<br>\n<br>Dank\n");
  CHECK(fewer("Thank<br>\nyou\n", "Danke", 5) == "Danke<br>\n");
}

TEST_CASE("Markdown: the cells of tables are blocks") {
  CHECK(blocks("| a | b |\n|---|:-:|\n| c\\|d | `e` f |\n| | g\n") ==
        Shown{"a", "b", "c|d", "f", "g"});
  CHECK(blocks("a | b\n--- | ---\nc | d\n\ntext | no table\n") ==
        Shown{"a", "b", "c", "d", "text | no table"});
  CHECK(blocks("| a |\n|---|---|\n") == Shown{"| a |{\n}|---|---|"});
}

TEST_CASE("Markdown: emphasis, links and what stands") {
  CHECK(blocks("a **bold *both*** and _it_ ~~off~~ x") ==
        Shown{"a {**}bold {*}both{*}{**} and {_}it{_} {~~}off{~~} x"});
  CHECK(blocks("snake_case_name and 2 * 3 * 4 and **open") ==
        Shown{"snake_case_name and 2 * 3 * 4 and **open"});
  CHECK(blocks("see [a *b*](/u \"t\") x") == Shown{"see {[}a {*}b{*}{](/u \"t\")} x"});
  CHECK(blocks("see ![alt](/i) and `a * b` and <http://x.y> x") ==
        Shown{"see {![alt](/i) }and {`a * b` }and {<http://x.y> }x"});
  CHECK(blocks("a <b class='c'>d</b> e") == Shown{"a {<b class='c'>}d{</b>} e"});
  CHECK(blocks("at http://x.y/a_b_c. or me@x.org now") ==
        Shown{"at {http://x.y/a_b_c}. or {me@x.org }now"});
  CHECK(blocks("it is $x^2$ for $5 and $6[^1] now") ==
        Shown{"it is {$x^2$ }for $5 and $6{[^1]} now"});
  CHECK(blocks("[not a link] and [x](y)") == Shown{"[not a link] and {[}x{](y)}"});
}

TEST_CASE("Markdown: escapes and entities are spelled as they were") {
  const auto document = markdown("a \\* b * c \\* &amp; d & e &eacute;\n");
  CHECK(document->blocks()[0].text == "a * b * c * & d & e \u00E9");
  CHECK(blocks("a \\* b * c \\* &amp; d & e &eacute;\n").size() == 1);
  CHECK(with_text(*document, 0, "x & y * z") == "x &amp; y \\* z\n");
}

TEST_CASE("Markdown: a reference to its own text names its label once the text is another") {
  const std::string definition = "\n\n[ref]: /u\n";
  CHECK(blocks("a [ref][] b" + definition) == Shown{"a {[}ref{][ref]][]} b"});
  CHECK(blocks("a [text][ref] b" + definition) == Shown{"a {[}text{][ref]} b"});
  for (const std::string end : {"", "[]"}) {
    const auto document = markdown("a [ref]" + end + " b" + definition);
    std::vector<TextBlock> translated = document->blocks();
    translated[0].text = "a word b";
    translated[0].marks[1].at = 6;
    CHECK(document->with(translated) == "a [word][ref] b" + definition);
    translated[0].text = "x ref y";
    translated[0].marks[1].at = 5;
    CHECK(document->with(translated) == "x [ref]" + end + " y" + definition);
  }
  // Round the whole block, too.
  CHECK(with_text(*markdown("[text](/u)\n"), 0, "word") == "[word](/u)\n");
  CHECK(blocks("- [ref][]" + definition) == Shown{"{[}ref{][ref]][]}"});
}

TEST_CASE("Markdown: what a translation says does not become markup") {
  const auto paragraph = markdown("text\n");
  CHECK(with_text(*paragraph, 0, "2 * 3") == "2 * 3\n");
  CHECK(with_text(*paragraph, 0, "a *b* c") == "a \\*b\\* c\n");
  CHECK(with_text(*paragraph, 0, "- a") == "\\- a\n");
  CHECK(with_text(*paragraph, 0, "1. a") == "1\\. a\n");
  CHECK(with_text(*paragraph, 0, "# a") == "\\# a\n");
  CHECK(with_text(*paragraph, 0, "> a") == "\\> a\n");
  CHECK(with_text(*paragraph, 0, "a <b> &amp; `c`") == "a \\<b\\> \\&amp; \\`c\\`\n");
  CHECK(with_text(*paragraph, 0, "[a](b)") == "\\[a\\](b)\n");
  const auto table = markdown("| a |\n|---|\n");
  CHECK(with_text(*table, 0, "b|c") == "| b\\|c |\n|---|\n");
  // A line within the paragraph begins no list.
  const auto two = markdown("> one\n> two\n");
  std::vector<TextBlock> translated = two->blocks();
  translated[0].text = "eins - zwei";
  translated[0].marks[0].at = 4;
  CHECK(two->with(translated) == "> eins\n> \\- zwei\n");
}

TEST_CASE("Markdown: hostile input takes time in proportion") {
  for (const std::string& part :
       {std::string("*"),        std::string("*a "),      std::string("["),
        std::string("[a]("),     std::string("![x](y)["), std::string("`a``b```"),
        std::string("> "),       std::string("- "),       std::string("|"),
        std::string("a|\n-|\n"), std::string("<a "),      std::string("<!-- "),
        std::string("$a"),       std::string("**a _b "),  std::string("&#"),
        std::string("[a]: b\n"), std::string("*a_ "),     std::string("- a\n\n"),
        std::string("\\"),       std::string("]"),        std::string("[a](<b"),
        std::string("a@b."),     std::string("www.")}) {
    CAPTURE(part);
    CHECK(testing::growth([&](std::size_t bytes) { markdown(testing::repeated(part, bytes)); },
                          50'000) < 12);
  }
  std::string deep;
  for (int i = 0; i < 1000; ++i) deep += "> ";
  CHECK(markdown(deep + "text\n" + deep + "more")
            ->with(markdown(deep + "text\n" + deep + "more")->blocks()) ==
        deep + "text\n" + deep + "more");
}

TEST_CASE("Markdown: errors name the place") {
  CHECK_THROWS_WITH_AS(
      markdown(std::string("ab\nc\0d", 6)),
      "doc.md:2:2: expected text, given a NUL byte (is this another kind of file?)", Error);
  CHECK_THROWS_AS(markdown("a\xFF"), Error);
  CHECK_THROWS_WITH_AS(
      markdown(std::string(5 << 20, 'a')),
      "doc.md:1:1: expected paragraphs of at most 4 MiB, given a longer one (part it by blank "
      "lines, or read the file as plain text)",
      Error);
}
