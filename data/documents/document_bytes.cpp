#include "data/documents/document_bytes.h"

#include <algorithm>

#include "data/files/utf8.h"
#include "tensor/error.h"

namespace kette {

std::string document_place(std::string_view bytes, std::size_t at, const std::string& name) {
  const std::string_view before = bytes.substr(0, at);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t start = before.rfind('\n');
  const std::string_view in_line =
      before.substr(start == std::string_view::npos ? 0 : start + 1, before.size());
  const std::size_t column = 1 + characters_in(in_line);
  return name + ":" + std::to_string(line) + ":" + std::to_string(column);
}

void check_document_bytes(std::string_view bytes, const std::string& name) {
  KETTE_CHECK(bytes.size() <= kMostDocumentBytes, name, ": expected at most ", kMostDocumentBytes,
              " bytes, given ", bytes.size(), " (cut the document into smaller ones)");
  const std::size_t invalid = first_invalid_utf8(bytes);
  KETTE_CHECK(invalid == std::string_view::npos, document_place(bytes, invalid, name),
              ": expected UTF-8, given other bytes (convert the document, e.g. with iconv)");
  const std::size_t zero = bytes.find('\0');
  KETTE_CHECK(zero == std::string_view::npos, document_place(bytes, zero, name),
              ": expected text, given a NUL byte (is this another kind of file?)");
}

void LeftParts::add(std::string_view bytes, std::size_t at, const std::string& name,
                    const std::string& what) {
  const std::string_view before = bytes.substr(at_, at - at_);
  line_ += static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n'));
  at_ = at;
  notes_.push_back(name + ":" + std::to_string(line_) + ": left as it is: " + what);
}

std::string markup_escaped(std::string_view character) {
  if (character == "&") return "&amp;";
  if (character == "<") return "&lt;";
  if (character == ">") return "&gt;";
  return std::string(character);
}

}  // namespace kette
