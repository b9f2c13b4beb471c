// DOCX: what begins as an archive is read as one; any other bytes are a part of one. What is accepted comes back as it
// was, and stays well-formed with other words.
#include "data/documents/docx_document.h"

#include "data/documents/docx_part.h"
#include "tests/data/document_doubles.h"
#include "tests/data/tiny_zip.h"
#include "tests/fuzz/targets.h"

namespace kette::fuzz {
namespace {

std::string part(const std::string& paragraphs) {
  return "<w:document xmlns:w=\"http://schemas.openxmlformats.org/wordprocessingml/2006/main\"><w:body>" +
         paragraphs + "</w:body></w:document>";
}

std::vector<std::string> seeds() {
  const std::string text = part(
      "<w:p><w:pPr/><w:r><w:t xml:space=\"preserve\">One </w:t></w:r><w:r><w:rPr><w:b/></w:rPr>"
      "<w:t>two</w:t></w:r><w:r><w:tab/><w:t>three &amp; four</w:t><w:br/><w:t>five</w:t></w:r></w:p>");
  return {
      testing::tiny_zip({testing::stored("[Content_Types].xml", "<a/>"),
                         testing::stored("word/document.xml", text)}),
      text,
      part("<w:p><w:hyperlink r:id=\"1\"><w:r><w:t>a</w:t></w:r></w:hyperlink><w:r><w:t> b</w:t>"
           "</w:r><w:bookmarkStart/><w:r><w:rPr><w:lang/></w:rPr><w:t>c</w:t></w:r></w:p>"),
      part("<w:p><w:r><w:t>a</w:t><w:fldChar w:fldCharType=\"begin\"/><w:instrText>X</w:instrText>"
           "<w:fldChar w:fldCharType=\"separate\"/><w:t>b</w:t><w:fldChar w:fldCharType=\"end\"/>"
           "<w:pict><w:txbxContent><w:p><w:r><w:t>c</w:t></w:r></w:p></w:txbxContent></w:pict>"
           "<w:t>d</w:t></w:r><w:del><w:r><w:delText>e</w:delText></w:r></w:del></w:p>")};
}

void read(std::string_view input) {
  const std::string bytes(input);
  if (input.substr(0, 2) == "PK") {
    const auto document = read_docx(bytes, "fuzz");
    expect(document->with(document->blocks()) == bytes, "the bytes that were read");
    must("what was written",
         [&] { read_docx(document->with(testing::inverse(document->blocks())), "inverse"); });
    return;
  }
  const DocxPart document(bytes, "fuzz");
  expect(testing::fault_of(document).empty(), "blocks that keep to the rules");
  expect(document.with(document.blocks()) == bytes, "the bytes that were read");
  must("what was written", [&] {
    DocxPart(document.with(testing::inverse(document.blocks())), "inverse");
    DocxPart(document.with(testing::crowded(document.blocks())), "crowded");
  });
}

}  // namespace

const Target docx_document = {"docx-document", seeds, read};

}  // namespace kette::fuzz
