// HTML of any bytes: what is UTF-8 is read, comes back as it was, and what is written of other words can be read, too.
#include "data/documents/html_document.h"

#include "tests/data/document_doubles.h"
#include "tests/fuzz/targets.h"

namespace kette::fuzz {
namespace {

std::vector<std::string> seeds() {
  return {
      "<!DOCTYPE html><html><head><meta charset=utf-8><title>T &amp; t</title></head><body><p>One "
      "<b>two</b>\n three&nbsp;<i>four <code>x &lt; y</code></i><br><br>five<p>six<ul><li>seven"
      "<li translate=no>eight</ul><script>if (a<b) \"</p>\"</script></body></html>",
      "<svg><text>a</text></svg>text &notit; &#65; &copy <!-- c --> <![CDATA[ x ]]> a < b",
      "<table><tr><td>a<td class='x notranslate'>b<tr><th>c</table><a href=x>d <img src=y> e</a>",
      "<?xml version=\"1.0\"?><p>a<br/>b<span>c<br>d</span><textarea>e</textarea> f</p>"};
}

void read(std::string_view input) {
  const std::string bytes(input);
  const auto document = read_html(bytes, "fuzz");
  expect(testing::fault_of(*document).empty(), "blocks that keep to the rules");
  expect(document->with(document->blocks()) == bytes, "the bytes that were read");
  must("what was written", [&] {
    read_html(document->with(testing::inverse(document->blocks())), "inverse");
    read_html(document->with(testing::crowded(document->blocks())), "crowded");
  });
}

}  // namespace

const Target html_document = {"html-document", seeds, read};

}  // namespace kette::fuzz
