// Checks one parallel text, pair by pair.
#pragma once

#include <vector>

#include "data/checks/pair_oddities.h"
#include "data/checks/pair_samples.h"

namespace kette {

class TextCheck {
 public:
  TextCheck(CheckedCharacters& characters, std::size_t samples);

  /// Checks what a single pair shows.
  void add(const CheckedPair& pair);
  /// Adds a finding of the caller.
  void note(Oddity oddity, const CheckedPair& pair, const std::string& note);

  std::int64_t pairs() const { return pairs_; }
  /// Its pairs by their languages.
  LanguageCounts languages() const;
  std::vector<OddPairs> findings(const LanguagePair& expected) const;

 private:
  struct Tally {
    PairSamples pairs;
    std::int64_t sources = 0, targets = 0;
  };

  Tally& of(Oddity oddity) { return tallies_[static_cast<std::size_t>(oddity)]; }
  OddPairs finding(Oddity oddity, const Tally& tally) const;

  CheckedCharacters& characters_;
  std::vector<Tally> tallies_;             // by oddity
  std::vector<PairSamples> by_languages_;  // kLineLanguages^2
  std::int64_t pairs_ = 0;
};

}  // namespace kette
