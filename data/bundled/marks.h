// What each word of a sentence says, which gives the alignment of a pair's words. Both languages are laid out from
// one structure: where a word of the one says the same part of it as a word of the other, they translate each
// other. While a sentence is built, each word carries marks of its parts behind it: dog, then \1 part role \2.
#pragma once

#include <string>

#include "data/bundled/corpus.h"

namespace kette::bundled {

/// The words of a part that has several, as verb groups do: "has been eaten", "ist gegessen worden".
enum class Role : char {
  word = 'w',  // the part itself
  auxiliary = 'a',
  be = 'b',  // of a passive: has been, ist worden
  gladly = 'g',
  ongoing = 'o',  // gerade
  particle = 'p',
  support = 's',  // does not read
  to = 't',
};

/// Each of the words with a mark of the part, which is known by its address. No word, no mark.
std::string marked(const std::string& words, const void* part, Role role = Role::word);
std::string without_marks(const std::string& text);

/// Of two texts that were built from one structure. Words that are the only one in their language to say a
/// part in a role are surely linked; all others that say the same part, possibly.
std::vector<WordLink> links_of(const std::string& english, const std::string& german);

}  // namespace kette::bundled
