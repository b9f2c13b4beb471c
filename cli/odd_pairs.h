// Pairs of a text that are odd in some way, for people and as JSON: what kette check finds, and kette tokenize leaves out.
#pragma once

#include "data/checks/corpus_report.h"
#include "data/files/json_text.h"

namespace kette::cli {

/// How many they are, and samples of them.
void print_samples(const TextReport& report, const OddPairs& pairs);
Json odd_pairs_json(const TextReport& report, const OddPairs& pairs);

}  // namespace kette::cli
