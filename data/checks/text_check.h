// One parallel text that is looked at, pair by pair.
#pragma once

#include <array>

#include "data/checks/line_table.h"
#include "data/checks/pair_reader.h"
#include "data/checks/pair_samples.h"
#include "data/tokenizers/unknown_characters.h"

namespace kette {

/// A pair as it passes by.
struct CheckedPair {
  std::int64_t line;  ///< in its text, from 1 on
  const std::string &source, &target;
  const LineFacts &source_facts, &target_facts;

  bool has_empty_side() const {
    return source_facts.characters == 0 || target_facts.characters == 0;
  }
  std::uint64_t exact() const { return hash_of(source_facts.exact, target_facts.exact); }
  std::uint64_t normalised() const {
    return hash_of(source_facts.normalised, target_facts.normalised);
  }
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

  friend bool operator==(const LanguagePair&, const LanguagePair&) = default;
};

class TextCheck {
 public:
  TextCheck(CheckedCharacters& characters, std::size_t samples);

  /// All that a pair shows by itself. faults: what is wrong with the bytes of its sides; mostly empty.
  void add(const CheckedPair& pair, const std::string& source_fault,
           const std::string& target_fault);
  /// What others know of it.
  void note(Oddity oddity, const CheckedPair& pair, const std::string& note);

  std::int64_t pairs() const { return pairs_; }
  /// What most lines are in.
  LanguagePair languages() const;
  std::vector<OddPairs> findings(const LanguagePair& expected) const;

 private:
  struct Tally {
    PairSamples pairs;
    std::int64_t sources = 0, targets = 0;
  };

  Tally& of(Oddity oddity) { return tallies_[static_cast<std::size_t>(oddity)]; }
  /// found(is_source): what is odd about a side, empty where nothing is.
  template <class Found>
  void look_at_sides(Oddity oddity, const CheckedPair& pair, const Found& found);
  void look_at_characters(const CheckedPair& pair);
  OddPairs finding(Oddity oddity, const Tally& tally) const;

  CheckedCharacters& characters_;
  std::vector<Tally> tallies_;             // by oddity
  std::vector<PairSamples> by_languages_;  // kLineLanguages^2 of them
  std::int64_t pairs_ = 0;
};

}  // namespace kette
