// HTML as a document of blocks. A block is the text of a paragraph, heading, cell, item, title ...: what block elements
// and line breaks border. Inline elements are marks round words; images, inline code, comments and the like are marks
// that stand. Left alone: attributes, scripts, styles, pre, svg, math, forms' texts, and what says translate="no" or has
// the class notranslate, with all that is in it; a block without a letter, too.
//
// Entities are characters of the text and keep their spelling. Broken HTML is read as browsers read it and is no error;
// bytes that are no UTF-8, a NUL, a declared charset other than UTF-8 and more than kMostDocumentBytes are.
#pragma once

#include <memory>
#include <string>

#include "data/documents/document.h"

namespace kette {

/// The name stands in errors.
std::unique_ptr<Document> read_html(std::string bytes, const std::string& name);

}  // namespace kette
