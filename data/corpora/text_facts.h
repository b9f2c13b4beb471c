// What the text that a model has learnt from is like, so that text of other people can be brought to it alike: how
// many sentences a line has, how long they are, in which case they are written.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "data/corpora/parallel_corpus.h"
#include "data/corpora/text_counts.h"

namespace kette {

inline constexpr const char* kTextFactsFile = "text.json";

struct TextFacts {
  std::string source_language{}, target_language{};  ///< "en", "de", "fr"; "": unknown, or several
  std::int64_t sentences = 1;       ///< of a source line: nine in ten have no fewer
  std::int64_t most_sentences = 1;  ///< nine in ten have no more
  std::int64_t source_tokens = 0;   ///< of a source line: 999 of 1,000 have no more
  double shortest = 0;  ///< target tokens over source tokens, to 0.01: 1 of 100 pairs has less
  double capitals = 1;  ///< the share of the source lines that have a capital

  friend bool operator==(const TextFacts&, const TextFacts&) = default;
};

/// both_directions: each side is a source, too.
TextFacts text_facts(const std::vector<TextCounts>& texts, bool both_directions);
/// Of the first lines of each text. how: are lines joined?
TextFacts text_facts(const std::vector<ParallelText>& texts, bool both_directions,
                     const Tokenizer& tokenizer, const FilterOptions& how = {});

/// Into a model's directory, and from it; nothing where it has none, as that of an imported model.
void save(const TextFacts& facts, const std::filesystem::path& folder);
std::optional<TextFacts> load_text_facts(const std::filesystem::path& folder);
/// To a model that is made of another one.
void copy_text_facts(const std::filesystem::path& from_model,
                     const std::filesystem::path& to_model);

}  // namespace kette
