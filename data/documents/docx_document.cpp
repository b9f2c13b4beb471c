#include "data/documents/docx_document.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

#include "data/documents/docx_part.h"
#include "data/documents/zip_archive.h"
#include "tensor/error.h"

namespace kette {
namespace {

/// Whether an entry has text: word/document.xml, word/header1.xml ...
bool has_paragraphs(std::string_view name) {
  for (const std::string_view part : {"word/document", "word/header", "word/footer",
                                      "word/footnotes", "word/endnotes", "word/comments"}) {
    if (name.substr(0, part.size()) != part) continue;
    const std::string_view rest = name.substr(part.size());
    const std::size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
    if (rest.substr(digits) == ".xml") return true;
  }
  return false;
}

class DocxDocument : public Document {
 public:
  DocxDocument(std::string bytes, const std::string& name) : archive_(std::move(bytes), name) {
    std::size_t total = 0;
    bool has_document = false;
    for (std::size_t i = 0; i < archive_.entries().size(); ++i) {
      const ZipArchive::Entry& entry = archive_.entries()[i];
      if (!has_paragraphs(entry.name)) continue;
      has_document = has_document || entry.name.find("document") != std::string::npos;
      total += entry.size;
      KETTE_CHECK(total <= kMostDocxBytes, name, ": expected at most ", kMostDocxBytes,
                  " bytes of text in all parts, given more");
      parts_.push_back(
          {i, std::make_unique<DocxPart>(archive_.content(i), name + ": " + entry.name)});
      const auto& found = parts_.back().part->blocks();
      blocks_.insert(blocks_.end(), found.begin(), found.end());
    }
    KETTE_CHECK(
        has_document, name,
        ": expected a DOCX, given an archive without word/document.xml (is this another kind "
        "of file?)");
  }

  std::string with(const std::vector<TextBlock>& translations) const override {
    KETTE_CHECK(translations.size() == blocks_.size(), "document: expected ", blocks_.size(),
                " translated blocks, given ", translations.size());
    std::map<std::size_t, std::string> changed;
    auto next = translations.begin();
    for (const Part& one : parts_) {
      const auto end = next + static_cast<std::ptrdiff_t>(one.part->blocks().size());
      std::string content = one.part->with({next, end});
      next = end;
      if (content != one.part->source()) changed.emplace(one.entry, std::move(content));
    }
    return archive_.with(changed);
  }

 private:
  struct Part {
    std::size_t entry;
    std::unique_ptr<DocxPart> part;
  };
  ZipArchive archive_;
  std::vector<Part> parts_;
};

}  // namespace

std::unique_ptr<Document> read_docx(std::string bytes, const std::string& name) {
  return std::make_unique<DocxDocument>(std::move(bytes), name);
}

}  // namespace kette
