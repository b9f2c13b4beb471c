// Facts of a single line: what is odd in it as training text, and hashes to recognise it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "data/sentences/likely_language.h"

namespace kette {

struct LineFacts {
  std::int64_t characters = 0;  ///< trimmed; 0: the line is empty
  /// About how many letters of an alphabet these characters stand for.
  std::int64_t weight = 0;
  LineLanguage language = LineLanguage::unknown;
  bool has_markup = false, is_broken = false, is_tokenised = false;
  bool is_lower_cased = false;   ///< no capital, and half of its letters or more have case
  bool has_few_letters = false;  ///< letters are under half of its non-white-space characters
  /// Hashes. exact: of the trimmed line. normalised: of its letters and numbers only, in lower case
  /// (of the trimmed line if it has none). Among n different lines two have the same hash with
  /// probability n^2 / 2^65: 3e-8 for a million lines.
  std::uint64_t exact = 0, normalised = 0;
};

/// line: well-formed UTF-8.
LineFacts facts_of(std::string_view line);
/// Only LineFacts::exact.
std::uint64_t exact_hash(std::string_view line);

/// The first HTML or XML tag, or character reference, in a line; empty if there is none. "<file>"
/// and "a < b" are text.
std::string_view markup_in(std::string_view line);
/// The first broken characters: controls, U+FFFD, or UTF-8 that was decoded as Latin-1 or
/// Windows-1252 ("Ã¼").
std::string_view broken_in(std::string_view line);
/// The first word with a space before its comma or full stop, as tokenisers write it.
std::string_view tokenised_in(std::string_view line);

}  // namespace kette
