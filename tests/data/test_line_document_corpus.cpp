// Documents made of lines that were not written for these tests, in the folder that KETTE_DOCUMENTS names: markdown, mail,
// srt, vtt, tsv and text in folders of those names. Each is read, written back unchanged, and written back by a stand-in
// that is its own inverse, twice.
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <functional>

#include "data/documents/mail_document.h"
#include "data/documents/markdown_document.h"
#include "data/documents/subtitle_document.h"
#include "data/documents/table_document.h"
#include "data/documents/text_document.h"
#include "tensor/error.h"
#include "tests/data/document_doubles.h"
#include "tests/support.h"

using namespace kette;

namespace {

using ReadLines = std::function<std::unique_ptr<Document>(const std::string&)>;
using Spelled = std::function<std::string(std::string)>;

/// A reference whose text was another for a while, [other][text], is written [text] or [text][] after that, as most in its
/// document are; here all of them are [text].
std::string with_short_references(std::string text) {
  for (std::size_t at = text.find("]["); at != std::string::npos; at = text.find("][", at)) {
    const std::size_t end = text.find(']', at + 2);
    const std::string label = "[" + text.substr(at + 2, end - at - 2);
    const bool is_itself = end != std::string::npos && at + 1 >= label.size() &&
                           text.compare(at - (label.size() - 1), label.size() - 1, label, 1) == 0;
    if (end == at + 2 || (is_itself && text[at - label.size()] == '[')) {
      text.erase(at + 1, end - at);
    } else {
      ++at;
    }
  }
  return text;
}

void check_folder(const std::string& format, const ReadLines& read, const Spelled& spelled) {
  const char* named = std::getenv("KETTE_DOCUMENTS");
  if (named == nullptr || !std::filesystem::is_directory(std::filesystem::path(named) / format)) {
    MESSAGE("skipped: no folder KETTE_DOCUMENTS with documents of the format ", format);
    return;
  }
  int documents = 0;
  std::size_t blocks = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(named) / format)) {
    if (!entry.is_regular_file() || entry.path().filename() == "LIST") continue;
    CAPTURE(entry.path().string());
    const std::string bytes = testing::read_file(entry.path());
    ++documents;
    try {
      const auto document = read(bytes);
      blocks += document->blocks().size();
      CHECK(testing::fault_of(*document) == "");
      CHECK((document->with(document->blocks()) == bytes));
      const auto again = read(document->with(testing::inverse(document->blocks())));
      CHECK((spelled(again->with(testing::inverse(again->blocks()))) == spelled(bytes)));
    } catch (const Error& error) {
      FAIL_CHECK(std::string(error.what()));
    }
  }
  CHECK(documents >= 15);
  MESSAGE(format, ": ", documents, " documents, ", blocks, " blocks");
}

std::string as_read(std::string text) { return text; }

}  // namespace

TEST_CASE("real Markdown comes back byte for byte") {
  check_folder(
      "markdown", [](const std::string& bytes) { return read_markdown(bytes, "document"); },
      with_short_references);
}

TEST_CASE("real mail comes back byte for byte") {
  check_folder(
      "mail", [](const std::string& bytes) { return read_mail(bytes, "document"); }, as_read);
}

TEST_CASE("real subtitles come back byte for byte") {
  check_folder(
      "srt", [](const std::string& bytes) { return read_srt(bytes, "document"); }, as_read);
  check_folder(
      "vtt", [](const std::string& bytes) { return read_vtt(bytes, "document"); }, as_read);
}

TEST_CASE("real tables and texts come back byte for byte") {
  check_folder(
      "tsv", [](const std::string& bytes) { return read_tsv(bytes, "document"); }, as_read);
  for (const TextLayout unit : {TextLayout::paragraphs, TextLayout::lines}) {
    check_folder(
        "text",
        [unit](const std::string& bytes) { return read_text_document(bytes, "document", unit); },
        as_read);
  }
}
