// XLIFF of any bytes: what is accepted has a target for each text once it was written, and stays as it is then.
#include "data/documents/xliff_document.h"
#include "tests/data/document_doubles.h"
#include "tests/fuzz/targets.h"

namespace kette::fuzz {
namespace {

std::vector<std::string> seeds() {
  return {
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<xliff version=\"1.2\" "
      "xmlns=\"urn:oasis:names:tc:xliff:document:1.2\"><file original=\"a\"><body>\n"
      "  <trans-unit id=\"1\">\n    <source>One <g id=\"1\">two</g> &amp; <x id=\"2\"/> "
      "<bpt id=\"3\">&lt;b></bpt>three<ept id=\"3\">x</ept></source>\n  </trans-unit>\n"
      "  <trans-unit id=\"2\"><source><![CDATA[a <b>]]></source><target/></trans-unit>\n"
      "  <trans-unit id=\"3\" translate=\"no\"><source>a</source></trans-unit>\n"
      "</body></file></xliff>",
      "<xliff version=\"1.2\"><trans-unit><source>a &lt;b&gt;c<x ctype=\"lb\"/>d&lt;/b&gt;&lt;p&gt;e"
      "</source><target state=\"new\">a</target></trans-unit><trans-unit><source>b<![CDATA[c]]>"
      "</source><target state=\"new\">b<![CDATA[c]]></target></trans-unit></xliff>",
      "<xliff version=\"2.0\"><file><unit id=\"1\"><segment><source>One <pc id=\"1\">two</pc> "
      "<sc id=\"2\"/>three<ec startRef=\"2\"/><ph id=\"4\"/>\n &#65;</source><target> </target>"
      "</segment></unit></file></xliff>"};
}

void read(std::string_view input) {
  const std::string bytes(input);
  const auto document = read_xliff(bytes, "fuzz");
  expect(testing::fault_of(*document).empty(), "blocks that keep to the rules");
  if (document->blocks().empty()) expect(document->with({}) == bytes, "the bytes that were read");
  must("what was written", [&] {
    const std::string written = document->with(document->blocks());
    const auto again = read_xliff(written, "again");
    // What was only copied is still to be translated.
    expect(again->with(again->blocks()) == written, "the bytes that were written");
    read_xliff(document->with(testing::inverse(document->blocks())), "inverse");
    read_xliff(document->with(testing::crowded(document->blocks())), "crowded");
  });
}

}  // namespace

const Target xml_document = {"xml-document", seeds, read};

}  // namespace kette::fuzz
