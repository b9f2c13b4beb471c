// Documents that were not written for these tests, in the folder that KETTE_DOCUMENTS names: html, xliff, po and docx in
// folders of those names. Each is read, written back unchanged, and written back by a stand-in that is its own inverse, twice.
// What lies in a folder "refused" has another charset or is damaged: it must be an Error.
#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>

#include "data/documents/docx_document.h"
#include "data/documents/html_document.h"
#include "data/documents/po_document.h"
#include "data/documents/xliff_document.h"
#include "data/documents/zip_archive.h"
#include "tensor/error.h"
#include "tests/data/bilingual_swaps.h"
#include "tests/data/document_doubles.h"
#include "tests/support.h"

using namespace kette;
namespace {

using ReadDocument = std::unique_ptr<Document> (*)(std::string, const std::string&);
using WithoutTargets = std::string (*)(const std::string&, bool);

/// Calls check(path, bytes) for each document of a format.
void for_documents(
    const std::string& format,
    const std::function<std::size_t(const std::string&, const std::string&)>& check) {
  const char* named = std::getenv("KETTE_DOCUMENTS");
  if (named == nullptr || !std::filesystem::is_directory(std::filesystem::path(named) / format)) {
    MESSAGE("skipped: no folder KETTE_DOCUMENTS with documents of the format ", format);
    return;
  }
  int documents = 0, refused = 0;
  std::size_t blocks = 0;
  const std::filesystem::path folder = std::filesystem::path(named) / format;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file() || entry.path().filename() == "LIST") continue;
    const std::string path = entry.path().string();
    CAPTURE(path);
    if (entry.path().parent_path().filename() == "refused") {
      ++refused;
      CHECK_THROWS_AS(check(path, testing::read_file(path)), Error);
      continue;
    }
    try {
      blocks += check(path, testing::read_file(path));
    } catch (const Error& error) {
      FAIL_CHECK(std::string(error.what()));
    }
    ++documents;
  }
  CHECK(documents >= 15);
  MESSAGE(format, ": ", documents, " documents, ", blocks, " blocks; refused: ", refused);
}

std::size_t check_bilingual(ReadDocument read, WithoutTargets without, const std::string& path,
                            const std::string& bytes) {
  const auto as_is = read(bytes, path);
  CHECK(testing::fault_of(*as_is) == "");
  const std::string filled = as_is->with(as_is->blocks());
  CHECK((without(filled, false) == without(bytes, false)));

  const std::string sources = without(bytes, false);
  const auto document = read(sources, path);
  CHECK(testing::fault_of(*document) == "");
  CHECK((without(document->with(document->blocks()), true) == sources));
  const std::string once = without(document->with(testing::inverse(document->blocks())), true);
  const auto again = read(once, path);
  CHECK((without(again->with(testing::inverse(again->blocks())), true) == sources));
  return document->blocks().size();
}

}  // namespace

TEST_CASE("real HTML comes back byte for byte") {
  for_documents("html", [](const std::string& path, const std::string& bytes) {
    const auto document = read_html(bytes, path);
    CHECK(testing::fault_of(*document) == "");
    CHECK((document->with(document->blocks()) == bytes));
    const auto again = read_html(document->with(testing::inverse(document->blocks())), path);
    CHECK((again->with(testing::inverse(again->blocks())) == bytes));
    return document->blocks().size();
  });
}

TEST_CASE("real XLIFF comes back byte for byte but for its targets") {
  for_documents("xliff", [](const std::string& path, const std::string& bytes) {
    return check_bilingual(&read_xliff, &testing::without_targets, path, bytes);
  });
}

TEST_CASE("real PO files come back byte for byte but for their msgstrs") {
  for_documents("po", [](const std::string& path, const std::string& bytes) {
    return check_bilingual(&read_po, &testing::without_msgstrs, path, bytes);
  });
}

TEST_CASE("real DOCX comes back byte for byte, and entry by entry") {
  for_documents("docx", [](const std::string& path, const std::string& bytes) {
    const auto document = read_docx(bytes, path);
    CHECK(testing::fault_of(*document) == "");
    CHECK((document->with(document->blocks()) == bytes));
    const auto again = read_docx(document->with(testing::inverse(document->blocks())), path);
    const std::string twice = again->with(testing::inverse(again->blocks()));
    const ZipArchive before(bytes, path), after(twice, path);
    CHECK(before.entries().size() == after.entries().size());
    for (std::size_t i = 0; i < before.entries().size() && i < after.entries().size(); ++i) {
      CAPTURE(before.entries()[i].name);
      CHECK(before.entries()[i].name == after.entries()[i].name);
      CHECK(before.entries()[i].checksum == after.entries()[i].checksum);
      CHECK(before.entries()[i].size == after.entries()[i].size);
    }
    return document->blocks().size();
  });
}
