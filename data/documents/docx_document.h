// DOCX (Office Open XML, ISO/IEC 29500) as a document of blocks: the paragraphs of the text, its headers and footers,
// footnotes, endnotes, comments and text boxes. What is formatted otherwise than most of a paragraph, links and fields are
// marks round words; tabs, breaks, images, bookmarks and the like are marks that stand, and so is what tracked changes
// deleted. Left alone: instructions of fields, formulas, paragraphs without a letter, all other entries of the file.
//
// An entry whose text changed is packed anew; all others, and with(blocks()) as a whole, are byte for byte what was read.
// An Error: a damaged archive, an entry that is no well-formed XML, and what passes the limits of zip_archive.h or, all
// its text together, kMostDocxBytes.
#pragma once

#include <memory>
#include <string>

#include "data/documents/document.h"

namespace kette {

inline constexpr std::size_t kMostDocxBytes = std::size_t{256} << 20;

/// The name stands in errors.
std::unique_ptr<Document> read_docx(std::string bytes, const std::string& name);

}  // namespace kette
