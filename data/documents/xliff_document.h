// XLIFF 1.x and 2.x as a document of blocks: the source of each unit (in 2.x: of each segment) that has no target yet.
// Its translation is written to the target: an empty one is filled, a missing one made behind the source, in 1.x with
// state="translated". Left alone: what has a target, what says translate="no", sources without text, and alternatives.
// Inline elements are marks; those of native code (ph, bpt, ept, it) with what is in them.
//
// An Error: what is no well-formed XML (data/documents/xml_tokens.h) or no XLIFF, and more than kMostDocumentBytes.
#pragma once

#include <memory>
#include <string>

#include "data/documents/document.h"

namespace kette {

/// The name stands in errors. with(blocks()) has the sources in the place of missing targets.
std::unique_ptr<Document> read_xliff(std::string bytes, const std::string& name);

}  // namespace kette
