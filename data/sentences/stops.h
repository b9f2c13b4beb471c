// Whether the stop after a word ends a sentence: the word may be an abbreviation, an initial or an
// ordinal.
#pragma once

#include <string>

#include "data/sentences/language.h"
#include "data/sentences/words.h"

namespace kette::sentences {

/// The context of a word with one stop directly after it. The next word is not lower-case.
struct Around {
  std::string_view text;
  Word before, before_that;  ///< the words before it; empty at the start of a paragraph
  WordEnd word;
  bool first = false;  ///< the word is the first of its sentence
  Word next;           ///< the word whose start decides
  WordStart start;     ///< of that
};

bool stop_ends(const Language& language, const Around& around);

/// Whether a word is a function word, which has a capital only at the start of a sentence.
bool is_starter(const Language& language, std::string_view text, Word word, WordStart start);

/// The leading letters of a word, in lower case; empty if it is too long to be a word.
std::string lowered_letters(std::string_view text, std::size_t begin, std::size_t end);

}  // namespace kette::sentences
