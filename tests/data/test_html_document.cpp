#include <doctest/doctest.h>

#include <chrono>

#include "data/documents/document_bytes.h"
#include "data/documents/html_document.h"
#include "data/documents/html_tokens.h"
#include "tensor/error.h"
#include "tests/data/document_doubles.h"

using namespace kette;

namespace {

std::string html_blocks(const std::string& bytes) {
  const auto document = read_html(bytes, "page.html");
  CHECK(document->with(document->blocks()) == bytes);
  CHECK(testing::fault_of(*document) == "");
  const auto again = read_html(document->with(testing::inverse(document->blocks())), "page.html");
  CHECK(again->with(testing::inverse(again->blocks())) == bytes);
  return testing::shown(*document);
}

std::string translated_html(const std::string& bytes, const std::string& text) {
  return testing::with_text(*read_html(bytes, "page.html"), text);
}

}  // namespace

TEST_CASE("html: block elements border blocks, whatever their case and without end tags") {
  CHECK(html_blocks("<h1>One</h1><P>Two<p>three<UL><LI>four<LI>five</UL>six") ==
        "One | Two | three | four | five | six");
  CHECK(html_blocks("<table><tr><td>One<td>two<tr><th>three</table>") == "One | two | three");
  CHECK(html_blocks("<head><title>One &amp; <b></title></head><body>two") == "One & <b> | two");
  CHECK(html_blocks("<select><option>One<option selected>two</select>") == "One | two");
}

TEST_CASE("html: inline elements are marks, and those round a whole block are none") {
  CHECK(html_blocks("<p>One <b>two <i>three</i></b> four</p>") ==
        "One {<b>}two {<i>}three{</i>}{</b>} four");
  CHECK(html_blocks("<p><b>One</b></p>") == "One");
  CHECK(html_blocks("<p><b>One</b> two</p>") == "{<b>}One{</b>} two");
  CHECK(html_blocks("<p>One <a href='x'> two </a></p>") == "One {<a href='x'> }two{ </a>}");
  CHECK(html_blocks("<p><img src=a> One <img src=b> two <img src=c></p>") ==
        "One {<img src=b> }two");
  CHECK(html_blocks("<p>One<!-- note --> two<!-- end --></p>") == "One{<!-- note -->} two");
  CHECK(html_blocks("<p>One <my-tag>two</my-tag> three") == "One {<my-tag>}two{</my-tag>} three");
}

TEST_CASE("html: what does not nest stands") {
  CHECK(html_blocks("<p>One <b>two <i>three</b> four</i> five") ==
        "One {<b>}two {<i>}three{</b>} four{</i>} five");
  const auto document = read_html("<p>One <b>two <i>three</b> four</i> five", "page.html");
  CHECK(document->blocks()[0].marks[0].partner == 2);
  CHECK(document->blocks()[0].marks[1].kind == Mark::Kind::stands);
  CHECK(document->blocks()[0].marks[3].kind == Mark::Kind::stands);
  CHECK(html_blocks("<p>One <b>two<p>three</b> four") == "One {<b>}two | three{</b>} four");
}

TEST_CASE("html: white space shows as one space") {
  CHECK(html_blocks("<p>\n  One\n  two  three\t</p>\n") == "One{\n  }two{  }three");
  CHECK(html_blocks("<p>One <b>\n two</b></p>") == "One {<b>\n }two{</b>}");
  CHECK(html_blocks("<p>One<b> </b> two</p>") == "One{<b>} {</b> }two");
  CHECK(html_blocks("<p>One&#10; two&nbsp;</p>") == "One{&#10; }two");
}

TEST_CASE("html: a line break ends a block outside of inline elements, and two do everywhere") {
  CHECK(html_blocks("<p>One<br>two<br/>three</p>") == "One | two | three");
  CHECK(html_blocks("<p>One <b>two<br>three</b></p>") ==
        "One {<b>}two{<br>}three{</b>}");  // a space with the bytes <br>
  CHECK(html_blocks("<p>One <b>two<br>\n<br>three</b></p>") == "One {<b>}two | three");
  CHECK(read_html("<b>First line<br>Second line</b>", "page.html")->blocks()[0].text ==
        "First line Second line");
}

TEST_CASE("html: code and what is not to be translated is left alone") {
  CHECK(html_blocks("<p>Run <code>ls <b>-l</b></code> now</p>") ==
        "Run {<code>ls <b>-l</b></code> }now");
  CHECK(html_blocks("<p>One <span translate=\"no\">Two <span>x</span></span> three") ==
        "One {<span translate=\"no\">Two <span>x</span></span> }three");
  CHECK(
      html_blocks(
          "<p>One</p><div class='a notranslate'>two<div>x</div></div><p class=notranslater>three") ==
      "One | three");
  CHECK(html_blocks("<pre>one</pre><script>if (a<b) x='</p>'</script><style>p{}</style>"
                    "<textarea>two</textarea>Three") == "Three");
  CHECK(html_blocks("One <svg><style>a</style><text>b</text><![CDATA[</svg>]]></svg> two") ==
        "One {<svg><style>a</style><text>b</text><![CDATA[</svg>]]></svg> }two");
  CHECK(html_blocks("<ul><li translate=no>one<li>Two</ul>") == "Two");
  CHECK(html_blocks("<p>Use <code>x</p><p>Two</p>") == "Use | Two");
  CHECK(html_blocks("<script><!-- <script> </script> x --></script>One") == "One");
  CHECK(html_blocks("<p>12.5 %</p><p>&mdash;</p>") == "");
}

TEST_CASE("html: entities are characters and keep their spelling") {
  CHECK(
      html_blocks("<p>AT&T &amp; &copy 2 &eacute;\xC3\xA9&#233; &notit; &lt;b> &#x41;&#128;</p>") ==
      "AT&T & \xC2\xA9 2 \xC3\xA9\xC3\xA9\xC3\xA9 \xC2\xACit; <b> A\xE2\x82\xAC");
  CHECK(html_blocks("<p>a&NotEqualTilde;b</p>") == "a{&NotEqualTilde;}b");
  CHECK(translated_html("<p>One</p>", "a < b > c & d \xC3\xA9") ==
        "<p>a &lt; b &gt; c &amp; d \xC3\xA9</p>");
  CHECK(
      translated_html("<p>\xC3\xA9 &eacute; x&nbsp;y</p>", "\xC3\xA9\xC3\xA9\xC3\xA9 z\xC2\xA0z") ==
      "<p>\xC3\xA9&eacute;&eacute; z&nbsp;z</p>");
  // A bare & or < that would mean something else before other words.
  CHECK(translated_html("<p>A & b < c</p>", "a &lt; <b") == "<p>a &amp;lt; &lt;b</p>");
  CHECK(html_blocks("<p>a <&#65; &<b>amp;</b></p>") == "a <A &{<b>}amp;{</b>}");
  CHECK(translated_html("<title>a <b</title>", "c <d </title x") ==
        "<title>c <d &lt;/title x</title>");
}

TEST_CASE("html: marks go with their words") {
  CHECK(translated_html("<p>One <b>two</b>\n<img> three</p>", "*a* b* *c") ==
        "<p><b>a</b> b\n<img> c</p>");
}

TEST_CASE("html: tokens are those of browsers") {
  CHECK(html_blocks(
            "<p title='>'>One<!--> two --> <!doctype x> three <? x > four </> five </3> six") ==
        "One{<!-->} two --> {<!doctype x> }three {<? x > }four {</> }five {</3> }six");
  CHECK(html_blocks("One < two <3 a<") == "One < two <3 a<");
  CHECK(html_blocks("One <b two='") == "One");
  CHECK(html_blocks("One <!-- two") == "One");
  CHECK(html_blocks("\xEF\xBB\xBFOne") == "One");
  CHECK(html_blocks("") == "");
}

TEST_CASE("html: XHTML closes elements in their start tag") {
  CHECK(html_blocks("<?xml version=\"1.0\"?><title/><p>One <a id=\"x\"/>two <b>three</b></p>") ==
        "One {<a id=\"x\"/>}two {<b>}three{</b>}");
}

TEST_CASE("html: another charset, a NUL and too many bytes are errors with their place") {
  CHECK_THROWS_WITH_AS(
      read_html("<p>\n<meta charset='ISO-8859-1'>", "page.html"),
      "page.html:2:1: expected HTML in UTF-8, given the charset iso-8859-1 (convert the "
      "document with iconv, and change what it says)",
      Error);
  CHECK_THROWS_WITH_AS(
      read_html("<meta http-equiv=Content-Type content='text/html; charset=euc-jp'>", "page.html"),
      doctest::Contains("given the charset euc-jp"), Error);
  CHECK_THROWS_WITH_AS(
      read_html("<p>\xC3\xA9\n\xC3\xA9\xFF", "page.html"),
      "page.html:2:2: expected UTF-8, given other bytes (convert the document, e.g. with "
      "iconv)",
      Error);
  CHECK_THROWS_WITH_AS(
      read_html(std::string("ab\0", 3), "page.html"),
      "page.html:1:3: expected text, given a NUL byte (is this another kind of file?)", Error);
  CHECK_THROWS_AS(read_html(std::string(kMostDocumentBytes + 1, ' '), "page.html"), Error);
}

TEST_CASE("html: hostile pages take time in proportion to their bytes") {
  const auto repeated = [](const std::string& what, std::size_t bytes) {
    std::string all;
    while (all.size() < bytes) all += what;
    return all;
  };
  constexpr std::size_t kBytes = 2000000;
  for (const char* what : {"<",
                           "</",
                           "<!--",
                           "<b>",
                           "<b></i>",
                           "<code>",
                           "<svg>",
                           "<p translate=no>",
                           "<script>",
                           "&",
                           "a&eacute;\xC3\xA9",
                           "<a b='",
                           "<br>",
                           "a <b> ",
                           "<svg><div>",
                           "<![CDATA[",
                           "<title>",
                           "&#1",
                           "<code><p>",
                           "</code>a"}) {
    CAPTURE(what);
    const std::string bytes = repeated(what, kBytes);
    const auto start = std::chrono::steady_clock::now();
    const auto document = read_html(bytes, "page.html");
    CHECK((document->with(document->blocks()) == bytes));
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(20));
  }
  const std::string most(std::size_t{64} * 1000 * 1000, '<');
  CHECK(read_html(most, "page.html")->blocks().empty());
}

TEST_CASE("html: the table of entities") {
  CHECK(html_reference("&AElig;", 0).plain == U"\u00C6");
  CHECK(html_reference("&zwnj;", 0).plain == U"\u200C");
  CHECK(html_reference("&AMPx", 0).bytes == 4);
  CHECK(html_reference("&hearts", 0).bytes == 0);
  CHECK(html_reference("&CounterClockwiseContourIntegral;", 0).plain == U"\u2233");
  CHECK(html_reference("&#xD800;", 0).plain == U"\uFFFD");
  CHECK(html_reference("&#99999999999;", 0).plain == U"\uFFFD");
  CHECK(html_reference("&#;", 0).bytes == 0);
}
