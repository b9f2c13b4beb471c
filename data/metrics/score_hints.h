// Hints about odd lines, for which a score does not mean what it seems to.
#pragma once

#include "data/metrics/score_statistics.h"

namespace kette {

/// A text with at least this many lines that end in " ." counts as tokenised, as in sacreBLEU.
inline constexpr std::int64_t kTokenisedLines = 100;

/// One sentence per hint: tokenised lines, if words_are_set_apart (as by 13a, intl and TER, which
/// expect raw text); empty lines of a reference; translations with an unknown piece. Usually none.
/// of_translations: their name in the hints.
std::vector<std::string> score_hints(const ScoreLines& translations,
                                     const std::vector<ScoreLines>& references,
                                     bool words_are_set_apart,
                                     const std::string& of_translations = "translations");

}  // namespace kette
