// Markdown of any text is read, and comes back byte for byte.
#include "data/documents/markdown_document.h"

#include "tests/fuzz/document_uses.h"
#include "tests/fuzz/targets.h"

namespace kette::fuzz {
namespace {

std::vector<std::string> seeds() {
  return {
      "# A *title* {#id}\n\nSome **bold** text, `code` and a [link](http://x.y \"t\"),\nwrapped.  \nHard\\\nbreak.\n",
      "---\na: b\n---\n> quote\n> > deeper\nlazy\n\n- one\n- [ ] two\n  1. three\n\n     more\n",
      "| a | b |\n|---|:-:|\n| c\\|d | `e` |\n\nTitle\n===\n\n```\ncode\n```\n\n    code\n",
      "[ref] and [ref][] and [text][ref] ![i](j) &amp; \\* <b>x</b> <http://a.b> $x^2$ ~~s~~[^1]\n\n[ref]: /u 't'\n[^1]: note\n",
      "> [!NOTE]\n> a<br>b\n\n:::tip[c]\nd\n:::\n\n!!! note \"e\"\n    f\n\n> <p>g\n> h</p>\n",
      "<div>\nhtml\n</div>\n\n<!-- c -->\r\ntext http://a.b/c_d me@x.org\r\n* * *\r\n"};
}

void read(std::string_view input) { use(*read_markdown(std::string(input), "fuzz"), input); }

}  // namespace

const Target markdown_document = {"markdown_document", seeds, read};

}  // namespace kette::fuzz
