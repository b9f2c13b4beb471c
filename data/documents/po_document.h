// Catalogues of gettext (PO files) as documents of blocks: the msgid of each entry whose msgstr is empty, or of several,
// of those with plural forms msgid for msgstr[0] and msgid_plural for each other. The translation is written to msgstr,
// with lines that are cut as those of the msgid, which begin and end with the same "\n". Left alone: what is translated,
// fuzzy or obsolete, the header, comments and contexts.
//
// A msgid of several paragraphs or lines is several blocks; a long line and one that goes on with a letter are one. Escapes
// are characters of the text (\" and \\) or marks (\t ...); placeholders such as %s are text.
//
// An Error: what gettext would not read, a charset other than UTF-8, a NUL, and more than kMostDocumentBytes.
#pragma once

#include <memory>
#include <string>

#include "data/documents/document.h"

namespace kette {

/// The name stands in errors. with(blocks()) has the msgids in the place of empty msgstrs.
std::unique_ptr<Document> read_po(std::string bytes, const std::string& name);

}  // namespace kette
