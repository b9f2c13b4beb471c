// DOCX (Office Open XML, ISO/IEC 29500) as a document of blocks: the paragraphs of the text, its
// headers and footers, footnotes, endnotes, comments and text boxes. Links, fields, and formatting
// that differs from most of the paragraph are paired marks around words. Images, bookmarks and
// tracked deletions are single marks. Tabs and breaks end the block. Unchanged: instructions of
// fields, formulas, paragraphs without a letter, all other entries of the file.
//
// An entry whose text changed is packed anew; all others, and with(blocks()) as a whole, keep every
// byte. Errors: a damaged archive, an entry that is not well-formed XML, passing a limit of
// zip_archive.h, and more than kMostDocxBytes of text in all.
#pragma once

#include <memory>
#include <string>

#include "data/documents/document.h"

namespace kette {

inline constexpr std::size_t kMostDocxBytes = std::size_t{256} << 20;

/// name: for errors.
std::unique_ptr<Document> read_docx(std::string bytes, const std::string& name);

}  // namespace kette
