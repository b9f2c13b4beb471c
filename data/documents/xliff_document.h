// XLIFF 1.x and 2.x as a document of blocks: the source of each unit (in 2.x: segment) without a
// target. The translation is written to the target: an empty one is filled, a missing one added
// after the source, in 1.x with state="translated". Unchanged: units with a target or
// translate="no", sources without text, and alternatives. Inline elements are marks; those of
// native code (ph, bpt, ept, it) include their content.
//
// Errors: not well-formed XML (data/documents/xml_tokens.h), not XLIFF, more than
// kMostDocumentBytes.
#pragma once

#include <memory>
#include <string>

#include "data/documents/document.h"

namespace kette {

/// name: for errors. with(blocks()) fills missing targets with the sources.
std::unique_ptr<Document> read_xliff(std::string bytes, const std::string& name);

}  // namespace kette
