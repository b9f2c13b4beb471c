// What is odd about a single pair: one definition for what kette check tells of and what kette tokenize --filter leaves out.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "data/checks/corpus_report.h"
#include "data/checks/line_facts.h"
#include "data/files/parallel_text.h"
#include "data/tokenizers/unknown_characters.h"
#include "tensor/splitmix.h"

namespace kette {

struct CheckedLine {
  const std::string& text;
  const LineFacts& facts;
  const std::string& fault;  ///< what is wrong with its bytes; mostly empty
};

/// A pair as it passes by.
struct CheckedPair {
  std::int64_t line;  ///< in its text, from 1 on
  CheckedLine source, target;

  bool has_empty_side() const {
    return source.facts.characters == 0 || target.facts.characters == 0;
  }
  std::uint64_t exact() const { return hash_of(source.facts.exact, target.facts.exact); }
  std::uint64_t normalised() const {
    return hash_of(source.facts.normalised, target.facts.normalised);
  }
  /// Its sides, long ones cut.
  PairSample sample(const std::string& note) const;
};

/// Which characters of both sides are told of.
struct CheckedCharacters {
  explicit CheckedCharacters(const SharedTokenizer& tokenizer);

  std::optional<UnknownCharacters> unknown_source, unknown_target;  // none without a vocabulary
  ChangedCharacters changed_source, changed_target;
};

struct LanguagePair {
  LineLanguage source = LineLanguage::unknown, target = LineLanguage::unknown;

  /// Where a side is unknown, that of the other pair.
  LanguagePair or_else(const LanguagePair& other) const {
    return {source == LineLanguage::unknown ? other.source : source,
            target == LineLanguage::unknown ? other.target : target};
  }
  friend bool operator==(const LanguagePair&, const LanguagePair&) = default;
};
/// Of a pair that has two sides which are not the same; of others it says nothing.
std::optional<LanguagePair> languages_of(const CheckedPair& pair);
/// So many lines at the start of a text tell which language it is in.
inline constexpr std::int64_t kLinesThatTell = 20000;
/// How many pairs are in which languages.
class LanguageCounts {
 public:
  void add(const LanguagePair& languages, std::int64_t pairs = 1);
  /// Those of most, as far as they are known.
  LanguagePair most() const;

 private:
  std::array<std::int64_t, kLineLanguages> sources_{}, targets_{};
};
/// What the name of a file ends in: English of train.en and train.en.gz.
LineLanguage language_of_name(const std::filesystem::path& file);
/// Likewise of both.
LanguagePair languages_of_names(const ParallelText& text);
/// Swapped or other_language; nothing where a pair is in the languages that it is to be in, as far as these are known.
std::optional<Oddity> find_language_oddity(const LanguagePair& pair, const LanguagePair& expected);
/// "in de and en"
std::string language_note(const LanguagePair& pair);

/// What was found: on a side, or about the pair as a whole. All empty: nothing.
struct PairFinding {
  std::string source, target, pair;

  bool is_of_side() const { return !source.empty() || !target.empty(); }
  /// "source: <b>; target: </b>"; may be empty of a pair as a whole.
  std::string note() const;
};
/// Of what a pair shows by itself; nothing where it is not odd in this way. Neither languages nor what other pairs tell.
std::optional<PairFinding> find_oddity(Oddity oddity, const CheckedPair& pair,
                                       CheckedCharacters& characters);

}  // namespace kette
