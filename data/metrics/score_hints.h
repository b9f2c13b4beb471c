// What is odd about lines that are scored, where the score is not what one takes it for.
#pragma once

#include "data/metrics/score_statistics.h"

namespace kette {

/// From so many lines on that end in " ." text is taken for tokenised, as sacreBLEU does.
inline constexpr std::int64_t kTokenisedLines = 100;

/// A sentence each: tokenised lines, where words_are_set_apart (13a, intl and TER do so, and take text for raw); lines of a
/// reference without text; translations with an unknown piece. Mostly none. of_translations: how they are called.
std::vector<std::string> score_hints(const ScoreLines& translations,
                                     const std::vector<ScoreLines>& references,
                                     bool words_are_set_apart,
                                     const std::string& of_translations = "translations");

}  // namespace kette
