// Plain text: paragraphs between blank lines, whose lines are wrapped anywhere, or lines that each say something of their
// own. Signs of list items and indentation stay outside.
#pragma once

#include <memory>
#include <string>

#include "data/documents/document.h"
#include "tensor/enum_names.h"

namespace kette {

enum class TextLayout { paragraphs, lines };
template <>
inline constexpr auto kNamesOf<TextLayout> =
    enum_names<TextLayout>({{TextLayout::paragraphs, "paragraphs"}, {TextLayout::lines, "lines"}});

/// The name stands in errors: bytes that are no text.
std::unique_ptr<Document> read_text_document(std::string bytes, const std::string& name,
                                             TextLayout unit = TextLayout::paragraphs);

}  // namespace kette
