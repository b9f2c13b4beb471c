// Plain text: paragraphs between blank lines, wrapped anywhere, or independent lines. Markers of
// list items and indentation stay outside of blocks.
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

/// name: for the Error if the bytes are not text.
std::unique_ptr<Document> read_text_document(std::string bytes, const std::string& name,
                                             TextLayout unit = TextLayout::paragraphs);

}  // namespace kette
