// What one line of a text shows by itself that is odd in text to learn from, and by what it is known again.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "data/sentences/likely_language.h"

namespace kette {

struct LineFacts {
  std::int64_t characters = 0;  ///< without white space at the ends; 0: the line is empty
  LineLanguage language = LineLanguage::unknown;
  bool has_markup = false, is_broken = false, is_tokenised = false, is_lower_cased = false;
  bool has_few_letters = false;  ///< fewer than half of the characters that are no white space
  /// Hashes of the line without white space at its ends, and of its letters and numbers alone, in lower case (where it
  /// has none, the same again). Two of n different lines have the same one with a chance of n^2 / 2^65: for a million
  /// lines 3e-8.
  std::uint64_t exact = 0, normalised = 0;
};

/// Of well-formed UTF-8.
LineFacts facts_of(std::string_view line);
/// LineFacts::exact alone.
std::uint64_t exact_hash(std::string_view line);

/// The first tag that HTML or XML would see in a line, or character reference; empty where there is none. "<file>" and
/// "a < b" are text.
std::string_view markup_in(std::string_view line);
/// The first characters that no text is meant to have: controls, U+FFFD, and UTF-8 that was read as Latin-1 or
/// Windows-1252 and written again ("Ã¼").
std::string_view broken_in(std::string_view line);
/// The first word whose comma or full stop stands apart, as a tokeniser leaves it.
std::string_view tokenised_in(std::string_view line);

}  // namespace kette
