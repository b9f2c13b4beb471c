// What the lines of one text are like, as counts: those of several texts are added, and TextFacts (data/corpora/text_facts.h)
// are made of the sum.
#pragma once

#include <cstdint>
#include <map>

#include "data/corpora/parallel_corpus.h"
#include "data/files/json_fwd.h"
#include "data/sentences/likely_language.h"

namespace kette {

/// The number of lines by a value of theirs.
using LinesByValue = std::map<std::int64_t, std::int64_t>;

/// Of the lines of a side that have tokens.
struct SideCounts {
  LanguageSigns signs{};
  std::int64_t lines = 0, capitals = 0;  ///< capitals: the lines that have one
  LinesByValue sentences, tokens;        ///< of a line
  LinesByValue
      hundredths;  ///< tokens of the other side, in hundredths of this side's, rounded down

  void add(const SideCounts& other);
  friend bool operator==(const SideCounts&, const SideCounts&) = default;
};

struct TextCounts {
  SideCounts source, target;

  friend bool operator==(const TextCounts&, const TextCounts&) = default;
};

/// Of the first lines of a text. how: are lines joined?
TextCounts text_counts(const ParallelText& text, const Tokenizer& tokenizer,
                       const FilterOptions& how = {});

/// For the list of a folder of pairs. Throws an Error, or as nlohmann::json does, if the JSON is of something else.
Json text_counts_to_json(const TextCounts& counts);
TextCounts text_counts_of_json(const Json& json);

}  // namespace kette
