// The batches of training, epoch after epoch. The order is a function of (seed, epoch) alone:
// sentences of similar length are put together in a new random way each epoch, cut into batches,
// and the batches shuffled. So a run can stop after any batch and go on later as if it never had.
#pragma once

#include <cstdint>

#include "data/corpora/batches.h"
#include "data/corpora/parallel_corpus.h"

namespace kette {

struct BatchOptions {
  /// Of the larger side, end marks counted.
  std::int64_t tokens_per_batch = 4096;
  std::uint64_t seed = 1;
  /// Lengths that count as similar: those with the same quotient by this number; 0 mixes all
  /// lengths.
  std::int64_t length_bucket = 4;
  /// Without it every epoch is plan_batches.
  bool shuffle = true;
  /// Above 0 the text is encoded anew each epoch, each merge refused with this probability
  /// (BPE-dropout). A sentence that this would lengthen past the corpus's max_length keeps its
  /// plain pieces.
  double bpe_dropout = 0;
  /// Of the pairs of an epoch, for each part of a joined corpus; as many pairs in all as it has. A part's pairs come
  /// as often as that takes, some of them once more than others. Empty: every pair once.
  std::vector<double> shares{};
};

/// Shares of parts of these sizes that temper their inequality: size^(1 / temperature), of which 1 leaves it as it is
/// (Arivazhagan et al. 2019, "Massively Multilingual Neural Machine Translation in the Wild", section 4.2).
std::vector<double> tempered_shares(const std::vector<std::int64_t>& ends_of_parts,
                                    double temperature);

class BatchSampler {
 public:
  /// Where the next batch lies: all that must be saved to go on.
  struct State {
    std::int64_t epoch = 0;
    std::int64_t position = 0;
    friend bool operator==(const State&, const State&) = default;
  };

  /// The corpus must outlive the sampler.
  BatchSampler(const ParallelCorpus& corpus, const BatchOptions& options);

  /// After the last batch of an epoch the state is {epoch + 1, 0}.
  Batch next();
  /// Target tokens, end marks counted, of the next batches together, without making them.
  std::int64_t target_tokens(std::int64_t batches) const;

  const State& state() const { return state_; }
  void restore(const State& state);

  /// Of the epoch that the next batch belongs to; random orders may differ by a batch.
  std::int64_t batches_in_epoch() const { return static_cast<std::int64_t>(plan_.size()); }

 private:
  void advance();
  /// Of the next batches, all of this epoch.
  std::int64_t planned_tokens(std::int64_t batches) const;
  void plan_epoch();
  void draw_pieces();
  /// The pairs of this epoch, in no order: which, and which time of it.
  struct Draw {
    std::int64_t pair, time;
  };
  std::vector<Draw> draws() const;
  std::vector<std::int64_t> shuffled_order() const;

  const TokenLists& source() const;
  const TokenLists& target() const;

  const ParallelCorpus* corpus_;
  BatchOptions options_;
  State state_;
  BatchPlan plan_;
  TokenLists dropout_source_, dropout_target_;  // of this epoch; empty without dropout
};

}  // namespace kette
