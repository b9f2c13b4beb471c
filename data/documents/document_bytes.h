// What the readers of documents ask of any bytes before they look closer, and how errors name a place in them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kette {

/// The most bytes of a document, or of one part of a packed one. What is read of it takes at most some 40 times as much,
/// where each few bytes are a block of their own.
inline constexpr std::size_t kMostDocumentBytes = std::size_t{64} << 20;

/// An Error unless these are at most kMostDocumentBytes of UTF-8 without a NUL.
void check_document_bytes(std::string_view bytes, const std::string& name);

/// "name:line:column", both from 1, columns in characters.
std::string document_place(std::string_view bytes, std::size_t at, const std::string& name);

/// What HTML and XML call white space, and XML's \r.
constexpr bool is_markup_space(char byte) {
  return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r' || byte == '\f';
}

/// Text between tags: &amp; &lt; and &gt; for these three, all else plainly.
std::string markup_escaped(std::string_view character);

}  // namespace kette
