// The word alignment of a sentence pair. Both languages are generated from one structure; words
// that express the same part of it translate each other. While a sentence is built, each word is
// followed by marks of its parts: dog, then \1 part role \2.
#pragma once

#include <string>

#include "data/bundled/corpus.h"

namespace kette::bundled {

/// Distinguishes the words of one part, such as a verb group: "has been eaten", "ist gegessen
/// worden".
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

/// Adds a mark of the part, identified by its address, to each word. Empty `words` stay empty.
std::string marked(const std::string& words, const void* part, Role role = Role::word);
std::string without_marks(const std::string& text);

/// The links of two texts built from one structure. Two words are surely linked if each is the only
/// one in its language with this part and role; other words of the same part are possibly linked.
std::vector<WordLink> links_of(const std::string& english, const std::string& german);

}  // namespace kette::bundled
