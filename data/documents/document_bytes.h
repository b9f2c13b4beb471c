// Checks of document bytes that all readers share, and places for error messages.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kette {

/// The most bytes of a document, or of one part of a packed one. In memory it takes at most about
/// 40 times as much (if every few bytes are a block).
inline constexpr std::size_t kMostDocumentBytes = std::size_t{64} << 20;

/// An Error unless these are at most kMostDocumentBytes of UTF-8 without a NUL.
void check_document_bytes(std::string_view bytes, const std::string& name);

/// "name:line:column", both from 1, columns in characters.
std::string document_place(std::string_view bytes, std::size_t at, const std::string& name);

/// What Document::notes() says, "name:line: left as it is: what". Add notes in the order of places.
class LeftParts {
 public:
  void add(std::string_view bytes, std::size_t at, const std::string& name,
           const std::string& what);
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  std::vector<std::string> notes_;
  std::size_t line_ = 1, at_ = 0;  // of the last one
};

/// White space of HTML and XML, with XML's \r.
constexpr bool is_markup_space(char byte) {
  return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r' || byte == '\f';
}

/// Escapes text between tags: &amp; &lt; and &gt;, all else unchanged.
std::string markup_escaped(std::string_view character);

}  // namespace kette
