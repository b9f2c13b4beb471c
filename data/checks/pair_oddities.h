// What is odd about a single pair: one definition for kette check and for kette tokenize --filter.
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
  const std::string& fault;  ///< the error in its bytes; usually empty
};

/// A pair with its facts.
struct CheckedPair {
  std::int64_t line;  ///< in its text, from 1
  CheckedLine source, target;

  bool has_empty_side() const {
    return source.facts.characters == 0 || target.facts.characters == 0;
  }
  std::uint64_t exact() const { return hash_of(source.facts.exact, target.facts.exact); }
  std::uint64_t normalised() const {
    return hash_of(source.facts.normalised, target.facts.normalised);
  }
  /// Its sides; long ones are cut.
  PairSample sample(const std::string& note) const;
};

/// Finds the odd characters of both sides.
struct CheckedCharacters {
  explicit CheckedCharacters(const SharedTokenizer& tokenizer);

  std::optional<UnknownCharacters> unknown_source, unknown_target;  // none without a vocabulary
  ChangedCharacters changed_source, changed_target;
};

struct LanguagePair {
  LineLanguage source = LineLanguage::unknown, target = LineLanguage::unknown;

  /// Takes the other pair's language for an unknown side.
  LanguagePair or_else(const LanguagePair& other) const {
    return {source == LineLanguage::unknown ? other.source : source,
            target == LineLanguage::unknown ? other.target : target};
  }
  friend bool operator==(const LanguagePair&, const LanguagePair&) = default;
};
/// Nothing if a side is empty or both are equal.
std::optional<LanguagePair> languages_of(const CheckedPair& pair);
/// This many lines at the start of a text decide its language.
inline constexpr std::int64_t kLinesThatTell = 20000;
/// Counts pairs by languages.
class LanguageCounts {
 public:
  /// The least share of a text's pairs that tells its language. Of English text 59 % (messages of
  /// programs) to 98 % of the lines are known as such, of German 83 to 100 %, of French 99 %; of
  /// messages in other languages 43 % of Spanish and 31 % of Italian as French, 36 % of Swedish as
  /// German, 12 % and less of Danish, Dutch and Polish. Longer lines in these are known more often,
  /// wherefore names tell, too.
  static constexpr double kLeastShare = 0.5;

  void add(const LanguagePair& languages, std::int64_t pairs = 1);
  void add(const LanguageCounts& more);
  std::int64_t pairs() const;
  /// The most frequent languages; unknown where too few of the lines are in it.
  LanguagePair most() const;

 private:
  std::array<std::int64_t, kLineLanguages> sources_{}, targets_{};
};
/// By the end of the file name: English for train.en, train.en_GB and train.en.gz.
LineLanguage language_of_name(const std::filesystem::path& file);
/// Whether that is of another language than lines are known by: train.nl, train.pt_BR.
bool names_another_language(const std::filesystem::path& file);
/// Of both files.
LanguagePair languages_of_names(const ParallelText& text);
/// What most lines of a text are in, but unknown for a side whose name is of another language.
LanguagePair languages_of_lines(const LanguageCounts& counts, const ParallelText& text);
/// swapped or other_language; nothing if the pair is in the expected languages, as far as they are
/// known.
std::optional<Oddity> find_language_oddity(const LanguagePair& pair, const LanguagePair& expected);
/// "in de and en"
std::string language_note(const LanguagePair& pair);

/// A finding on a side or about the whole pair; any of them may be empty.
struct PairFinding {
  std::string source, target, pair;

  bool is_of_side() const { return !source.empty() || !target.empty(); }
  /// "source: <b>; target: </b>"; may be empty for a whole pair.
  std::string note() const;
};
/// Checks what a single pair shows: no languages, no other pairs. Nothing if it does not have this
/// oddity.
std::optional<PairFinding> find_oddity(Oddity oddity, const CheckedPair& pair,
                                       CheckedCharacters& characters);

}  // namespace kette
