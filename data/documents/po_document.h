// Catalogues of gettext (PO files) as documents of blocks: the msgid of each entry whose msgstr is
// empty. With plural forms it is msgid for msgstr[0] and msgid_plural for the others. The
// translation is written to msgstr, with the msgid's way of cutting lines and the same "\n" at
// begin and end. Unchanged: translated, fuzzy and obsolete entries, the header, comments and
// contexts.
//
// A msgid of several paragraphs or lines is several blocks, and so are columns between tabs; a long
// line and a next line that begins with a letter are one. Escapes are characters of the text (\" and
// \\) or marks (\x41 ...); placeholders such as %s are text. Tags of HTML are as in HTML.
//
// Errors: input that gettext would not read, another charset than UTF-8, a NUL, more than
// kMostDocumentBytes.
#pragma once

#include <memory>
#include <string>

#include "data/documents/document.h"

namespace kette {

/// name: for errors. with(blocks()) fills empty msgstrs with the msgids.
std::unique_ptr<Document> read_po(std::string bytes, const std::string& name);

}  // namespace kette
