// Pairs of a text that are odd in some way, for people and as JSON: what kette check finds, and kette tokenize leaves out.
#pragma once

#include "data/checks/corpus_report.h"
#include "data/corpora/prepared_tokens.h"
#include "data/files/json_fwd.h"

namespace kette::cli {

/// How many they are, and samples of them.
void print_samples(const TextReport& report, const OddPairs& pairs);
Json odd_pairs_json(const TextReport& report, const OddPairs& pairs);
/// What was left out of a text as odd, with samples, and as JSON. The text's name and size are in the report.
Json print_left_out(const TextReport& report, const std::vector<OddPairs>& left_out);
/// Likewise of a text in one language.
Json print_left_out(const std::vector<std::string>& files, const LeftOutDocuments& left_out);

}  // namespace kette::cli
