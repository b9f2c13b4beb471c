// Drops odd pairs (data/checks/oddity.h) from training text before it is encoded.
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
  /// tokenizer: decides which characters are unwritable or changed.
  PairFilter(const PairFilterOptions& options, const SharedTokenizer& tokenizer);

  /// The next lines are from this text. If needed, finds its languages: by its file names, else as
  /// those of most of its first lines. Throws if it cannot.
  void begin(const ParallelText& text);
  /// Whether lines may be faulty, since one of the oddities is about that.
  bool takes_faulty_lines() const { return options_.wants(Oddity::encoding); }
  /// Which of the next pairs to keep.
  std::vector<bool> keeps(const CheckedPairs& pairs);
  /// Skips the next pairs, which others check.
  void skip(const std::vector<std::string>& sources, const std::vector<std::string>& targets);
  /// What was dropped since the last call.
  std::vector<OddPairs> take_left_out();

 private:
  struct LeftOut {
    OddPairs pairs;
    PairSamples samples;
  };
  static LeftOut none_of(Oddity oddity) {
    return {{oddity, 0, 0, 0, {}}, PairSamples(kSamplesLeftOut)};
  }

  /// Nothing if the pair does not have this oddity. earlier: where the pair occurred before.
  std::optional<PairFinding> find(Oddity oddity, const CheckedPair& pair,
                                  const std::optional<std::string>& earlier);

  PairFilterOptions options_;
  std::vector<LeftOut> left_out_;  // by wanted oddity
  CheckedCharacters characters_;
  HeldOut held_out_;
  SeenPairs seen_;
  LanguagePair languages_;  // expected
};

}  // namespace kette
