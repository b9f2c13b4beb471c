// Leaves the pairs out of a text to learn from that are odd in some ways (data/checks/oddity.h), before they are encoded.
#pragma once

#include <vector>

#include "data/checks/held_out.h"
#include "data/checks/pair_filter_options.h"
#include "data/checks/pair_reader.h"
#include "data/checks/pair_samples.h"
#include "data/checks/seen_pairs.h"

namespace kette {

class PairFilter {
 public:
  /// tokenizer: whose characters are unwritable, or changed.
  PairFilter(const PairFilterOptions& options, const SharedTokenizer& tokenizer);

  /// The lines that follow are of this text. Looks which languages it is in, where that matters and the names of its files
  /// do not tell: those of most of its first lines. Throws where it cannot say.
  void begin(const ParallelText& text);
  /// Whether its lines may be faulty ones, which an oddity is about.
  bool takes_faulty_lines() const { return options_.wants(Oddity::encoding); }
  /// Which of the next pairs stay.
  std::vector<bool> keeps(const CheckedPairs& pairs);
  /// Passes over the next pairs, which others look at.
  void skip(const std::vector<std::string>& sources, const std::vector<std::string>& targets);
  /// What was left out since the last time.
  std::vector<OddPairs> take_left_out();

 private:
  struct LeftOut {
    OddPairs pairs;
    PairSamples samples;
  };
  static LeftOut none_of(Oddity oddity) {
    return {{oddity, 0, 0, 0, {}}, PairSamples(kSamplesLeftOut)};
  }

  /// Nothing where the pair is not odd in this way. earlier: where the pair came before.
  std::optional<PairFinding> find(Oddity oddity, const CheckedPair& pair,
                                  const std::optional<std::string>& earlier);

  PairFilterOptions options_;
  std::vector<LeftOut> left_out_;  // by wanted oddity
  CheckedCharacters characters_;
  HeldOut held_out_;
  SeenPairs seen_;
  LanguagePair languages_;  // that the text is to be in
};

}  // namespace kette
