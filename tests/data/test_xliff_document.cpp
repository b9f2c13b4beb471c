#include <doctest/doctest.h>

#include <chrono>

#include "data/documents/xliff_document.h"
#include "tensor/error.h"
#include "tests/data/bilingual_swaps.h"
#include "tests/data/document_doubles.h"

using namespace kette;

namespace {

std::string xliff1(const std::string& units) {
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<xliff version=\"1.2\"><file><body>" + units +
         "</body></file></xliff>\n";
}

std::string xliff2(const std::string& segments) {
  return "<xliff version=\"2.0\"><file><unit id=\"1\">" + segments + "</unit></file></xliff>";
}

std::string xliff_blocks(const std::string& bytes) {
  const auto document = read_xliff(bytes, "a.xlf");
  CHECK(testing::fault_of(*document) == "");
  return testing::shown(*document);
}

std::string filled_xliff(const std::string& bytes) {
  const auto document = read_xliff(bytes, "a.xlf");
  return document->with(document->blocks());
}

std::string xliff_error(const std::string& bytes) {
  return testing::message_of([&] { read_xliff(bytes, "a.xlf"); });
}

}  // namespace

TEST_CASE("xliff: a missing target is made behind the source, on a line of its own where that is") {
  CHECK(
      filled_xliff(xliff1("\n  <trans-unit id=\"1\">\n    <source> One &amp; two</source>\n"
                          "    <note>x</note>\n  </trans-unit>\n")) ==
      xliff1(
          "\n  <trans-unit id=\"1\">\n    <source> One &amp; two</source>\n"
          "    <target state=\"needs-translation\"> One &amp; two</target>\n    <note>x</note>\n  </trans-unit>\n"));
  CHECK(filled_xliff(
            xliff1("<trans-unit><source>One</source><seg-source>One</seg-source></trans-unit>")) ==
        xliff1("<trans-unit><source>One</source><seg-source>One</seg-source><target "
               "state=\"needs-translation\">One</target></trans-unit>"));
  CHECK(filled_xliff(xliff2("<segment>\r\n <source>One</source>\r\n</segment>")) ==
        xliff2("<segment>\r\n <source>One</source>\r\n <target>One</target>\r\n</segment>"));
  CHECK(
      filled_xliff(
          "<x:xliff version=\"2.1\" xmlns:x=\"a\"><x:segment><x:source>One</x:source></x:segment></x:xliff>") ==
      "<x:xliff version=\"2.1\" xmlns:x=\"a\"><x:segment><x:source>One</x:source><x:target>One</x:target></"
      "x:segment></x:xliff>");
}

TEST_CASE("xliff: an empty target is filled and keeps its attributes, another one is left alone") {
  const auto translated = [](const std::string& target) {
    const std::string unit = "<trans-unit><source>One</source>" + target + "</trans-unit>";
    return testing::with_text(*read_xliff(xliff1(unit), "a.xlf"), "Eins");
  };
  const auto with_target = [](const std::string& tag) {
    return xliff1("<trans-unit><source>One</source>" + tag + "Eins</target></trans-unit>");
  };
  CHECK(translated("") == with_target("<target state=\"translated\">"));
  CHECK(translated("<target/>") == with_target("<target state=\"translated\">"));
  CHECK(translated("<target xml:lang=\"de\" state=\"new\">\n</target>") ==
        with_target("<target xml:lang=\"de\" state=\"translated\">"));
  for (const std::string tag :
       {"<target\n\tstate='new'/>", "<target\n\tstate = \"new\"></target>"}) {
    CHECK(translated(tag) == with_target("<target\n\tstate=\"translated\">"));
  }
  for (const std::string unit : {"<source>One</source><target>Eins</target>",
                                 "<source>One</source><target><x id=\"1\"/></target>", "<source/>",
                                 "<source> <x/> </source>", "<note>a</note>"}) {
    CHECK(filled_xliff(xliff1("<trans-unit>" + unit + "</trans-unit>")) ==
          xliff1("<trans-unit>" + unit + "</trans-unit>"));
  }
}

TEST_CASE("xliff: a new target with a copy of the source is filled") {
  const std::string source = "<source>One <x id=\"1\"/>two</source>",
                    copy = "One <x id=\"1\"/>two</target>";
  for (const std::string state : {"new", "needs-translation"}) {
    const std::string unit =
        "<trans-unit>" + source + "<target state=\"" + state + "\"> " + copy + "</trans-unit>";
    CHECK(xliff_blocks(xliff1(unit)) == "One {<x id=\"1\"/>}two");
    CHECK(testing::with_text(*read_xliff(xliff1(unit), "a.xlf"), "Eins *zwei") ==
          xliff1("<trans-unit>" + source +
                 "<target state=\"translated\">Eins <x id=\"1\"/>zwei</target></trans-unit>"));
  }
  for (const std::string tag : {"<target>", "<target state=\"final\">"}) {
    CHECK(xliff_blocks(xliff1("<trans-unit>" + source + tag + copy + "</trans-unit>")) == "");
  }
  CHECK(xliff_blocks(xliff1("<trans-unit>" + source +
                            "<target state=\"new\">Eins</target></trans-unit>")) == "");
  const std::string segment = ">" + source + "<target>" + copy + "</segment>";
  CHECK(xliff_blocks(xliff2("<segment state=\"initial\"" + segment)) == "One {<x id=\"1\"/>}two");
  CHECK(xliff_blocks(xliff2("<segment" + segment)) == "");
}

TEST_CASE("xliff: a unit that is only copied is not said to be translated") {
  const auto filled_target = [](const std::string& source, const std::string& target) {
    const std::string unit = "<trans-unit><source>" + source + "</source>";
    const std::string all = filled_xliff(xliff1(unit + target + "</trans-unit>"));
    CHECK(filled_xliff(all) == all);
    return all.substr(xliff1(unit).find("</body>"),
                      all.find("</trans-unit>") - xliff1(unit).find("</body>"));
  };
  CHECK(filled_target("One", "") == "<target state=\"needs-translation\">One</target>");
  CHECK(filled_target("One", "<target state=\"new\"/>") == "<target state=\"new\">One</target>");
  CHECK(filled_target("One", "<target state=\"final\"/>") ==
        "<target state=\"needs-translation\">One</target>");
  CHECK(filled_target("12", "") == "<target state=\"translated\">12</target>");
}

TEST_CASE("xliff: tags of HTML are marks, escaped or in CDATA") {
  const std::string unit = "<trans-unit><source>";
  CHECK(
      xliff_blocks(xliff1(unit + "A &lt;b&gt;red&lt;/b&gt; dog &lt;x&gt;</source></trans-unit>")) ==
      "A {&lt;b&gt;}red{&lt;/b&gt;} dog <x>");
  const std::string html =
      unit + "<![CDATA[<p>The <b>dog</b> is.</p><p>One<br>two</p>]]></source></trans-unit>";
  CHECK(xliff_blocks(xliff1(html)) == "The {<b>}dog{</b>} is. | One | two");
  std::vector<TextBlock> blocks = read_xliff(xliff1(html), "a.xlf")->blocks();
  blocks[1].text = "Eins & 1";
  CHECK(read_xliff(xliff1(html), "a.xlf")->with(blocks) ==
        xliff1(unit + "<![CDATA[<p>The <b>dog</b> is.</p><p>One<br>two</p>]]></source>"
                      "<target state=\"translated\"><![CDATA[<p>The <b>dog</b> is.</p>"
                      "<p>Eins & 1<br>two</p>]]></target></trans-unit>"));
}

TEST_CASE("xliff: a line break borders blocks, and is a space within a pair") {
  const std::string lb = "<x id=\"1\" ctype=\"lb\"/>";
  CHECK(xliff_blocks(xliff1("<trans-unit><source>One" + lb + "two</source></trans-unit>")) ==
        "One | two");
  CHECK(xliff_blocks(xliff1("<trans-unit><source>One <g id=\"2\">two" + lb +
                            "three</g></source></trans-unit>")) ==
        "One {<g id=\"2\">}two{" + lb + "}three{</g>}");
  for (const std::string ph :
       {"<ph id=\"0\" equiv=\"LINE_BREAK\"/>", "<ph id=\"0\" type=\"fmt\" subType=\"xlf:lb\"/>"}) {
    CHECK(xliff_blocks(xliff2("<segment><source>One" + ph + "two</source></segment>")) ==
          "One | two");
  }
}

TEST_CASE("xliff: notes name what is left and what is missing") {
  using Notes = std::vector<std::string>;
  const auto notes = [](const std::string& bytes) { return read_xliff(bytes, "a.xlf")->notes(); };
  const std::string cdata =
      "<trans-unit><source>A <![CDATA[<b>red</b>]]> dog</source></trans-unit>";
  CHECK(notes(xliff1(cdata)) == Notes{"a.xlf:2: left as it is: CDATA beside other text"});
  CHECK(notes(xliff1("<trans-unit><source>A <![CDATA[<b>]]>dog</source></trans-unit>")).empty());
  CHECK(
      notes(xliff2("<segment><source>One</source></segment>")) ==
      Notes{"a.xlf:1:1: expected trgLang in <xliff>, as XLIFF 2 requires with targets, given none "
            "(add the language of the translation, such as trgLang=\"de\")"});
  CHECK(
      notes("<xliff version=\"2.0\" trgLang=\"de\"><segment><source>One</source></segment></xliff>")
          .empty());
}

TEST_CASE("xliff: what is not to be translated, and alternatives, are left alone") {
  CHECK(xliff_blocks(xliff1(
            "<trans-unit translate=\"no\"><source>One</source></trans-unit>"
            "<group translate=\"no\"><trans-unit><source>two</source></trans-unit>"
            "<trans-unit translate=\"yes\"><source>Three</source><alt-trans><source>x</source>"
            "<target>y</target></alt-trans></trans-unit></group>"
            "<trans-unit><source>Four</source></trans-unit>")) == "Three | Four");
  CHECK(xliff_blocks(xliff2(
            "<ignorable><source>x</source></ignorable><segment><source>One</source></segment>")) ==
        "One");
  CHECK(xliff_blocks(
            "<xliff version=\"2.0\"><unit translate=\"no\"><segment><source>One</source></segment>"
            "</unit></xliff>") == "");
}

TEST_CASE("xliff: inline elements are marks, native code with what is in it") {
  CHECK(
      xliff_blocks(xliff1(
          "<trans-unit><source>One <g id=\"1\">two</g> <x id=\"2\"/><bpt id=\"3\">&lt;b></bpt>three"
          "<ept id=\"3\">&lt;/b></ept> <ph id=\"4\">%s<sub>x</sub></ph> <mrk mtype=\"protected\">four</mrk> "
          "<mrk mtype=\"term\">five</mrk>\n  six</source></trans-unit>")) ==
      "One {<g id=\"1\">}two{</g>} {<x id=\"2\"/>}{<bpt id=\"3\">&lt;b></bpt>}three"
      "{<ept id=\"3\">&lt;/b></ept>} {<ph id=\"4\">%s<sub>x</sub></ph> }{<mrk mtype=\"protected\">four</mrk> }"
      "{<mrk mtype=\"term\">}five{</mrk>}{\n  }six");
  CHECK(
      xliff_blocks(xliff2("<segment><source>One <pc id=\"1\">two</pc> <sc id=\"2\"/>three"
                          "<ec startRef=\"2\"/> <ph id=\"3\"/>four</source></segment>")) ==
      "One {<pc id=\"1\">}two{</pc>} {<sc id=\"2\"/>}three{<ec startRef=\"2\"/>} {<ph id=\"3\"/>}four");
  const auto document = read_xliff(
      xliff1(
          "<trans-unit><source>a <bx id=\"1\" rid=\"9\"/>b<ex id=\"2\" rid=\"9\"/></source></trans-unit>"),
      "a.xlf");
  CHECK(document->blocks()[0].marks[0].partner == 1);
}

TEST_CASE("xliff: a source of CDATA stays one, without escapes") {
  const std::string unit = "<trans-unit><source><![CDATA[One <b> & two]]></source></trans-unit>";
  CHECK(xliff_blocks(xliff1(unit)) == "One <b> & two");
  CHECK(filled_xliff(xliff1(unit)) ==
        xliff1("<trans-unit><source><![CDATA[One <b> & two]]></source><target "
               "state=\"needs-translation\"><![CDATA[One <b> & two]]></target></trans-unit>"));
  CHECK(testing::with_text(*read_xliff(xliff1(unit), "a.xlf"), "a ]]> < & b") ==
        xliff1("<trans-unit><source><![CDATA[One <b> & two]]></source><target "
               "state=\"translated\"><![CDATA[a ]]]]><![CDATA[> < & b]]></target></trans-unit>"));
  CHECK(xliff_blocks(xliff1("<trans-unit><source>One <![CDATA[x]]></source></trans-unit>")) ==
        "One");
}

TEST_CASE("xliff: of two sources in a unit, which is not valid, the second counts") {
  CHECK(xliff_blocks(xliff1("<trans-unit><source>One</source><source>two</source></trans-unit>")) ==
        "two");
  CHECK(xliff_blocks(xliff1("<trans-unit><source>One</source><source/></trans-unit>")) == "");
}

TEST_CASE("xliff: two passes of words in reverse give the sources") {
  const std::string bytes =
      xliff1("<trans-unit>\n<source>One <g>t&#x77;o</g> &quot;three\"</source>\n</trans-unit>");
  const auto document = read_xliff(bytes, "a.xlf");
  const auto again = read_xliff(
      testing::without_targets(document->with(testing::inverse(document->blocks())), true),
      "a.xlf");
  CHECK(testing::without_targets(again->with(testing::inverse(again->blocks())), true) == bytes);
}

TEST_CASE("xml: what is not well-formed is an error with its place") {
  CHECK(xliff_error("<xliff version='1.2'>\n<a></b></xliff>") ==
        "a.xlf:2:4: expected </a>, given </b>");
  CHECK(xliff_error("<xliff version='1.2'>\n<a>") ==
        "a.xlf:2:4: expected </a>, given the end of the document (is it cut off?)");
  CHECK(xliff_error("<xliff version='1.2'>a & b</xliff>") ==
        "a.xlf:1:24: expected a reference such as &amp; or &#8364;, given another one or a bare &");
  CHECK(xliff_error("<xliff version='1.2'>&eacute;</xliff>").substr(0, 12) == "a.xlf:1:22: ");
  CHECK(xliff_error("<xliff version='1.2'>&#1;</xliff>").substr(0, 12) == "a.xlf:1:22: ");
  CHECK(xliff_error("<xliff version='1.2'>&#x80;</xliff>") == "");
  for (const char* torn : {"",
                           "text",
                           "<",
                           "<a",
                           "<a b",
                           "<a b=",
                           "<a b=c>",
                           "<a b='c",
                           "<a b='<'/>",
                           "<a b=''c=''/>",
                           "<a b='' b=''/>",
                           "<a/ >",
                           "<a/><b/>",
                           "<a/>b",
                           "</a>",
                           "<!-- a",
                           "<?xml",
                           "<a><![CDATA[b</a>",
                           "<a>\x01</a>",
                           "<!DOCTYPE a",
                           "<a><!DOCTYPE b></a>",
                           "<1/>"}) {
    CAPTURE(torn);
    CHECK(xliff_error(torn).substr(0, 6) == "a.xlf:");
  }
  CHECK(xliff_error("<?xml version='1.0' encoding='UTF-16'?><a/>").substr(0, 50) ==
        "a.xlf:1:1: expected XML in UTF-8, given the encodi");
  CHECK(xliff_error(std::string("<a>\0</a>", 8)).substr(0, 10) == "a.xlf:1:4:");
  CHECK(
      xliff_error("<tmx version='1.4'/>") ==
      "a.xlf:1:1: expected <xliff version=\"1.2\"> or \"2.0\", given <tmx> of version \"1.4\" (is this another "
      "kind of file?)");
}

TEST_CASE("xml: entities of the document's own, deep elements and long documents are refused") {
  CHECK(xliff_error("<!DOCTYPE a [\n<!ENTITY b 'c'>]><xliff version='1.2'>&b;</xliff>")
            .substr(0, 60) == "a.xlf:2:1: expected a document type without entities of its ");
  CHECK(xliff_error(
            "<!DOCTYPE xliff SYSTEM 'a>' [<!-- > --> <!ELEMENT a ANY>]><xliff version='1.2'/>") ==
        "");
  std::string deep = "<xliff version='1.2'>";
  for (int i = 0; i < 1000; ++i) deep += "<a>";
  CHECK(testing::contains(xliff_error(deep), "expected elements that nest at most 1000 deep"));
  const auto start = std::chrono::steady_clock::now();
  CHECK(xliff_error(std::string(std::size_t{64} * 1000 * 1000, '<')).substr(0, 11) ==
        "a.xlf:1:2: ");
  std::string many = "<xliff version='1.2'><trans-unit><source>";
  for (int i = 0; i < 200000; ++i) many += "<bpt id='1'/>a <ept id='2'/>";
  CHECK(xliff_blocks(many + "</source></trans-unit></xliff>").size() > 200000);
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(20));
}
