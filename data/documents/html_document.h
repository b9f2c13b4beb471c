// HTML as a document of blocks. A block is the text of a paragraph, heading, cell, item, title ...,
// between block elements or line breaks. Inline elements are paired marks around words; images,
// inline code, comments and the like are single marks; a line break within an inline element is
// white space. Unchanged: attributes, scripts, styles, pre,
// svg, math, texts of forms, elements with translate="no" or the class notranslate, and blocks
// without a letter.
//
// Entities are characters of the text and keep their spelling. Broken HTML is read as browsers read
// it. Errors: bytes that are not UTF-8, a NUL, another declared charset than UTF-8, and more than
// kMostDocumentBytes.
#pragma once

#include <memory>
#include <string>

#include "data/documents/document.h"

namespace kette {

/// HTML within another document, whose bytes were checked: no input is an error.
std::unique_ptr<DocumentOfBytes> read_html_within(std::string bytes);

/// name: for errors.
std::unique_ptr<Document> read_html(std::string bytes, const std::string& name);

}  // namespace kette
