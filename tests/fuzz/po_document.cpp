// PO files of any bytes: what is accepted has a msgstr for each msgid once it was written, and no more to translate.
#include "data/documents/po_document.h"

#include "tests/data/document_doubles.h"
#include "tests/fuzz/targets.h"

namespace kette::fuzz {
namespace {

std::vector<std::string> seeds() {
  return {
      "msgid \"\"\nmsgstr \"\"\n\"Content-Type: text/plain; charset=UTF-8\\n\"\n\n#: a.c:1\n"
      "msgctxt \"c\"\nmsgid \"One \\\"two\\\" %s\\n\"\nmsgstr \"\"\n\nmsgid \"\"\n\"a long line that "
      "is wrapped and goes \"\n\"on\\n\"\n\"with <b>more</b>, and a tab\\t\\x41 here<br>\"\nmsgstr \"\"\n\n"
      "#, fuzzy\nmsgid \"a\"\nmsgstr \"\"\n\n#~ msgid \"b\"\n#~ msgstr \"\"\n",
      "msgid \"one file\"\nmsgid_plural \"%d files\"\nmsgstr[0] \"\"\nmsgstr[1] \"\"\r\nmsgstr[2] \"x\"\n"};
}

void read(std::string_view input) {
  const std::string bytes(input);
  const auto document = read_po(bytes, "fuzz");
  expect(testing::fault_of(*document).empty(), "blocks that keep to the rules");
  if (document->blocks().empty()) expect(document->with({}) == bytes, "the bytes that were read");
  must("what was written", [&] {
    const std::string written = document->with(document->blocks());
    const auto again = read_po(written, "again");
    expect(again->blocks().empty(), "no msgid without a msgstr");
    expect(again->with({}) == written, "the bytes that were written");
    read_po(document->with(testing::inverse(document->blocks())), "inverse");
    read_po(document->with(testing::crowded(document->blocks())), "crowded");
  });
}

}  // namespace

const Target po_document = {"po-document", seeds, read};

}  // namespace kette::fuzz
