#include "data/documents/text_document.h"

#include <utility>

#include "data/documents/document_bytes.h"
#include "data/documents/plain_text.h"

namespace kette {
namespace {

class TextDocument : public DocumentOfBytes {
 public:
  TextDocument(std::string all, const std::string& name, TextLayout unit)
      : DocumentOfBytes(std::move(all)) {
    check_document_bytes(bytes(), name);
    Paragraphs paragraphs(bytes(), [&](InlineText::Found&& found) {
      add(std::move(found.block), found.begin, found.end);
    });
    for (std::size_t at = first_line_begin(bytes()); at < bytes().size();) {
      const SourceLine line = line_at(bytes(), at);
      if (is_blank_line(line.of(bytes()))) {
        paragraphs.end();
      } else {
        paragraphs.add_line(line);
      }
      if (unit == TextLayout::lines) paragraphs.end();
      at = line.next;
    }
    paragraphs.end();
  }

 private:
  bool keeps_empty_lines() const override { return false; }
};

}  // namespace

std::unique_ptr<Document> read_text_document(std::string bytes, const std::string& name,
                                             TextLayout unit) {
  return std::make_unique<TextDocument>(std::move(bytes), name, unit);
}

}  // namespace kette
