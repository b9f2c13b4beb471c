#include <doctest/doctest.h>
#include <zlib.h>

#include "data/documents/docx_document.h"
#include "data/documents/docx_part.h"
#include "data/documents/zip_archive.h"
#include "tensor/error.h"
#include "tests/data/document_doubles.h"
#include "tests/data/tiny_zip.h"
#include "tests/support.h"

using namespace kette;
using testing::contains;

namespace {

std::string word_part(const std::string& paragraphs) {
  return "<w:document xmlns:w=\"http://schemas.openxmlformats.org/wordprocessingml/2006/main\">" +
         paragraphs + "</w:document>";
}

std::string docx_blocks(const std::string& paragraphs) {
  const std::string bytes = word_part(paragraphs);
  const DocxPart document(bytes, "part");
  CHECK(testing::fault_of(document) == "");
  CHECK(document.with(document.blocks()) == bytes);
  const DocxPart again(document.with(testing::inverse(document.blocks())), "part");
  CHECK(again.with(testing::inverse(again.blocks())) == bytes);
  DocxPart(document.with(testing::crowded(document.blocks())), "part");  // stays well-formed
  return testing::shown(document);
}

std::string translated_docx(const std::string& paragraphs, const std::string& text) {
  const std::string made = testing::with_text(DocxPart(word_part(paragraphs), "part"), text);
  const std::size_t begin = word_part("").find("</w:document>");
  return made.substr(begin, made.size() - begin - 13);
}

std::string word_run(const std::string& text, const std::string& format = "") {
  return "<w:r>" + (format.empty() ? "" : "<w:rPr>" + format + "</w:rPr>") + "<w:t>" + text +
         "</w:t></w:r>";
}
std::string kept_word_run(const std::string& text, const std::string& format = "") {
  return "<w:r>" + (format.empty() ? "" : "<w:rPr>" + format + "</w:rPr>") +
         "<w:t xml:space=\"preserve\">" + text + "</w:t></w:r>";
}
std::string word_paragraph(const std::string& runs) { return "<w:p><w:pPr/>" + runs + "</w:p>"; }

std::string docx_error(const std::string& bytes) {
  return testing::message_of([&] { read_docx(bytes, "a.docx"); });
}

}  // namespace

TEST_CASE("docx: a paragraph is a block") {
  CHECK(docx_blocks(word_paragraph(word_run("One &amp; t&#119;o")) + "<w:tbl><w:tc>" +
                    word_paragraph(word_run("three")) + "</w:tc></w:tbl>" + word_paragraph("") +
                    word_paragraph(word_run("12"))) == "One & two | three");
  CHECK(translated_docx(word_paragraph(word_run("One")), "a < b") ==
        word_paragraph(word_run("a &lt; b")));
}

TEST_CASE("docx: other formats than most of the paragraph has are marks round words") {
  const std::string bold = "{<w:rPr><w:b/></w:rPr>}", close = "{}";
  CHECK(docx_blocks(word_paragraph(kept_word_run("One longer ") + word_run("two", "<w:b/>") +
                                   kept_word_run(" three"))) ==
        "One longer " + bold + "two" + close + " three");
  CHECK(docx_blocks(word_paragraph(word_run("One", "<w:b/>") + kept_word_run(" and longer"))) ==
        bold + "One" + close + " and longer");
  CHECK(docx_blocks(word_paragraph(kept_word_run("One longer ") + word_run("two", "<w:b/>"))) ==
        "One longer " + bold + "two" + close);
  CHECK(docx_blocks(word_paragraph(word_run("One", "<w:b/>"))) == "One");
  CHECK(docx_blocks(word_paragraph(kept_word_run("One longer ") + word_run("two", "<w:b/>") +
                                   word_run("three", "<w:i/>"))) ==
        "One longer " + bold + "two" + close + "{<w:rPr><w:i/></w:rPr>}three" + close);
  // A language is no format; runs of one format are one text.
  CHECK(docx_blocks(word_paragraph(word_run("On", "<w:lang w:val=\"en\"/>") + word_run("e"))) ==
        "On{}e");
}

TEST_CASE("docx: words that change places take their format along") {
  const std::string source = word_paragraph(kept_word_run("One longer ") +
                                            word_run("two", "<w:b/>") + kept_word_run(" three"));
  CHECK(translated_docx(source, "a *b* c") ==
        word_paragraph(kept_word_run("a ") + word_run("b", "<w:b/>") + kept_word_run(" c")));
  CHECK(translated_docx(word_paragraph(word_run("One", "<w:b/>") + kept_word_run(" and longer")),
                        "a *b* c") ==
        word_paragraph("<w:r><w:rPr><w:b/></w:rPr><w:t></w:t></w:r>" + kept_word_run("a ") +
                       word_run("b", "<w:b/>") + kept_word_run(" c")));
  const std::string two = word_paragraph(kept_word_run("One longer ") + word_run("two", "<w:b/>") +
                                         word_run("three", "<w:i/>"));
  CHECK(translated_docx(two, "*b* and *c*") ==
        word_paragraph("<w:r><w:t xml:space=\"preserve\"></w:t></w:r>" + word_run("b", "<w:b/>") +
                       kept_word_run(" and ") + word_run("c", "<w:i/>")));
}

TEST_CASE("docx: blanks at the ends of a text are said to be kept") {
  CHECK(translated_docx(word_paragraph(word_run("One") + word_run("two")), "a *b") ==
        word_paragraph(kept_word_run("a ") + word_run("b")));
  CHECK(translated_docx(word_paragraph(word_run("One") + word_run("two")), "a* b") ==
        word_paragraph(word_run("a") + kept_word_run(" b")));
  CHECK(docx_blocks(word_paragraph("<w:r><w:t> One </w:t></w:r>" + word_run("two"))) == "One{}two");
}

TEST_CASE("docx: a comment within a text is no end of it, whatever it says") {
  CHECK(docx_blocks(word_paragraph("<w:r><w:t>One <!-- </w:t><w:t> -->\n two</w:t></w:r>")) ==
        "One {}  two");
}

TEST_CASE("docx: a text with elements in it is left alone") {
  CHECK(docx_blocks(word_paragraph(word_run("One") + "<w:r><w:t>a<w:b/>c</w:t></w:r>" +
                                   word_run("two"))) == "One{<w:t>a<w:b/>c</w:t>}two");
}

TEST_CASE("docx: tabs and breaks border blocks") {
  CHECK(docx_blocks(word_paragraph(
            "<w:r><w:tab/><w:t>One</w:t><w:tab/><w:t>two</w:t><w:br/></w:r>")) == "One | two");
  CHECK(docx_blocks(word_paragraph("<w:r><w:t>The man</w:t><w:br/><w:t>The house</w:t><w:cr/>"
                                   "<w:t>The city</w:t><w:ptab/><w:t>3</w:t></w:r>")) ==
        "The man | The house | The city");
  const std::string link = "<w:hyperlink w:anchor=\"1\">";
  CHECK(docx_blocks(word_paragraph(link + word_run("One") + "<w:r><w:tab/></w:r>" +
                                   word_run("two") + "</w:hyperlink>" + word_run("three"))) ==
        "One | two | three");
  // What follows in the run keeps its format.
  const std::string bold = "<w:r><w:rPr><w:b/></w:rPr>";
  CHECK(translated_docx(word_paragraph(kept_word_run("One longer ") + bold +
                                       "<w:t>two</w:t><w:br/><w:t>three</w:t></w:r>"),
                        "a *b* c") ==
        word_paragraph(kept_word_run("a ") + word_run("b", "<w:b/>") + kept_word_run(" c") + bold +
                       "<w:t></w:t><w:br/><w:t>three</w:t></w:r>"));
}

TEST_CASE("docx: images, bookmarks and deleted text stand") {
  CHECK(docx_blocks(word_paragraph(word_run("One") + "<w:bookmarkStart w:id=\"1\"/><w:proofErr/>" +
                                   word_run("two"))) ==
        "One{<w:bookmarkStart w:id=\"1\"/>}{<w:proofErr/>}two");
  CHECK(docx_blocks(word_paragraph(
            kept_word_run("One ") + "<w:del><w:r><w:delText>x</w:delText></w:r></w:del>" +
            word_run("two"))) == "One {<w:del><w:r><w:delText>x</w:delText></w:r></w:del>}two");
  CHECK(translated_docx(word_paragraph(word_run("One") + "<w:proofErr/>" + word_run("two")),
                        "a b*") ==
        word_paragraph("<w:r><w:t>a b</w:t></w:r><w:proofErr/>" + word_run("")));
}

TEST_CASE("docx: links and fields go round words") {
  const std::string link = "<w:hyperlink r:id=\"1\">";
  CHECK(docx_blocks(word_paragraph(kept_word_run("One ") + link + word_run("two") +
                                   "</w:hyperlink>" + kept_word_run(" three"))) ==
        "One {" + link + "}two{</w:hyperlink>} three");
  CHECK(docx_blocks(
            word_paragraph(link + word_run("One") + "</w:hyperlink>" + kept_word_run(" two"))) ==
        "{" + link + "}One{</w:hyperlink>} two");
  CHECK(translated_docx(
            word_paragraph(link + word_run("One") + "</w:hyperlink>" + kept_word_run(" two")),
            "a *b*") == word_paragraph(kept_word_run("a ") + link + word_run("b") +
                                       "</w:hyperlink>" + kept_word_run("")));
  const std::string begin = "<w:fldChar w:fldCharType=\"begin\"/>",
                    middle = "<w:fldChar w:fldCharType=\"separate\"/>",
                    end = "<w:fldChar w:fldCharType=\"end\"/>",
                    code = "<w:instrText>X</w:instrText>";
  CHECK(docx_blocks(word_paragraph(kept_word_run("One ") + "<w:r>" + begin + "</w:r><w:r>" + code +
                                   "</w:r><w:r>" + middle + "</w:r>" + word_run("two") + "<w:r>" +
                                   end + "</w:r>" + kept_word_run(" three"))) ==
        "One {" + begin + code + middle + "}two{" + end + "} three");
  CHECK(docx_blocks(word_paragraph(kept_word_run("One ") + "<w:r>" + begin + code + end +
                                   "<w:t>two</w:t></w:r>")) ==
        "One {" + begin + code + end + "}two");
}

TEST_CASE("docx: text boxes have paragraphs of their own") {
  CHECK(docx_blocks(word_paragraph(
            "<w:r><w:t>One</w:t><w:pict><w:txbxContent>" + word_paragraph(word_run("box")) +
            "</w:txbxContent></w:pict><w:t>two</w:t></w:r>")) == "One | box | two");
}

TEST_CASE("docx: parts with text are read, all else is kept byte for byte") {
  const std::string body = word_part(word_paragraph(word_run("One")));
  const std::string archive = testing::tiny_zip(
      {testing::stored("[Content_Types].xml", "<a/>"),
       testing::stored("word/header1.xml", word_part(word_paragraph(word_run("two")))),
       testing::stored("word/document.xml", body),
       testing::stored("word/styles.xml", word_part(word_paragraph(word_run("x")))),
       {"x.bin", "\1\2\3", 99, 7, 8, 0}});
  const auto document = read_docx(archive, "a.docx");
  CHECK(testing::shown(*document) == "two | One");
  CHECK(document->with(document->blocks()) == archive);
  std::vector<TextBlock> blocks = document->blocks();
  blocks[1].text = "Eins";
  const std::string written = document->with(blocks);
  const ZipArchive before(archive, "a"), after(written, "b");
  REQUIRE(after.entries().size() == 5);
  CHECK(after.content(1) == before.content(1));
  CHECK(after.content(2) == word_part(word_paragraph(word_run("Eins"))));
  CHECK(after.entries()[4].packed == 3);
  CHECK(written.substr(after.entries()[4].data, 3) == "\1\2\3");
  CHECK(written.substr(0, before.entries()[2].begin) ==
        archive.substr(0, before.entries()[2].begin));
}

TEST_CASE("docx: damaged, encrypted and bomb-like archives are errors") {
  const std::string body = word_part(word_paragraph(word_run("One")));
  const std::string archive = testing::tiny_zip({testing::stored("word/document.xml", body)});
  CHECK(docx_error(archive) == "");
  for (std::size_t size = 0; size < archive.size(); ++size) {
    CHECK(docx_error(archive.substr(0, size)).substr(0, 7) == "a.docx:");
  }
  CHECK(
      docx_error(testing::tiny_zip({testing::stored("a", body)})) ==
      "a.docx: expected a DOCX, given an archive without word/document.xml (is this another kind of file?)");
  CHECK(docx_error(testing::tiny_zip({testing::stored("word/document.xml", "<a>\n</b>")})) ==
        "a.docx: word/document.xml:2:1: expected </a>, given </b>");
  testing::ZipItem item = testing::stored("word/document.xml", body);
  item.checksum ^= 1;
  CHECK(contains(docx_error(testing::tiny_zip({item})), "given others (it is damaged)"));
  item = testing::stored("word/document.xml", body);
  item.flags = 1;
  CHECK(contains(docx_error(testing::tiny_zip({item})),
                 "given one that is (save it without a password)"));
  item.flags = 0;
  item.method = 12;
  CHECK(contains(docx_error(testing::tiny_zip({item})), "given method 12"));
  item.method = 8;
  CHECK(contains(docx_error(testing::tiny_zip({item})), "expected sound data"));

  // 60 MB of zeros in 60 KB, as it says and as it does not say.
  std::string zeros(60 << 20, '\0'), packed(1 << 20, '\0');
  z_stream stream{};
  REQUIRE(deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(zeros.data());
  stream.avail_in = static_cast<uInt>(zeros.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  CHECK(contains(
      docx_error(testing::tiny_zip({{"word/document.xml", packed, 8, zeros.size(), 0, 0}})),
      "(it looks like a bomb)"));
  CHECK(contains(docx_error(testing::tiny_zip({{"word/document.xml", packed, 8, 1000, 0, 0}})),
                 "expected sound data of 1000 bytes"));
}

TEST_CASE("docx: formats that would grow in the marks are refused") {
  std::string runs = "<w:r><w:rPr>" + std::string(100000, ' ') + "<w:b/></w:rPr>";
  const std::string field =
      "<w:fldChar w:fldCharType=\"begin\"/><w:fldChar w:fldCharType=\"separate\"/><w:t>b</w:t>"
      "<w:fldChar w:fldCharType=\"end\"/><w:t>a</w:t>";
  for (int i = 0; i < 100; ++i) runs += field;
  const std::string bytes =
      word_part(word_paragraph(runs + "</w:r>" + word_run(std::string(1000, 'x'))));
  CHECK_THROWS_WITH_AS(DocxPart(bytes, "part"), doctest::Contains("looks like a bomb"), Error);
}
