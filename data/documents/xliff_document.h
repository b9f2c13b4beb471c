// XLIFF 1.x and 2.x as a document of blocks: the source of each unit (in 2.x: segment) without a
// target, or with a copy of the source as a target that is said to be new or to need a translation.
// The translation is written to the target: an existing one is filled, a missing one added after
// the source. In 1.x it gets state="translated", or "needs-translation" if it is the source.
// Unchanged: units with another target or translate="no", sources without text, and alternatives.
//
// Inline elements are marks; those of native code (ph, bpt, ept, it) include their content. Tags of
// HTML, escaped or in a source of CDATA, are as in HTML. So a source may be several blocks: line
// breaks and paragraphs border them. notes() has CDATA with words beside other text, and a missing
// trgLang.
//
// Errors: not well-formed XML (data/documents/xml_tokens.h), not XLIFF, more than
// kMostDocumentBytes.
#pragma once

#include <memory>
#include <string>

#include "data/documents/document.h"

namespace kette {

/// name: for errors. with(blocks()) fills missing targets with the sources, which are read again as
/// blocks in 1.x.
std::unique_ptr<Document> read_xliff(std::string bytes, const std::string& name);

}  // namespace kette
