// Batches of sentence pairs: those of similar length are put together in a new random way each epoch, cut into batches,
// and the batches shuffled.
#pragma once

#include <memory>

#include "data/corpora/parallel_corpus.h"
#include "data/corpora/sampler.h"

namespace kette {

struct BatchOptions {
  /// Of the larger side, end marks counted.
  std::int64_t tokens_per_batch = 4096;
  std::uint64_t seed = 1;
  /// Above 0 the text is encoded anew each epoch, each merge refused with this probability
  /// (BPE-dropout). A sentence that this would lengthen past the corpus's max_length keeps its
  /// plain pieces.
  double bpe_dropout = 0;
  /// Of the pairs of an epoch, for each part of a joined corpus; as many pairs in all as it has. A part's pairs come
  /// as often as that takes, some of them once more than others; what is left of a pair comes in some epochs. Empty:
  /// every pair once.
  std::vector<double> shares{};
};

/// Shares of parts of these sizes that temper their inequality: size^(1 / temperature), of which 1 leaves it as it is
/// (Arivazhagan et al. 2019, "Massively Multilingual Neural Machine Translation in the Wild", section 4.2).
std::vector<double> tempered_shares(const std::vector<std::int64_t>& ends_of_parts,
                                    double temperature);

class BatchSampler final : public Sampler {
 public:
  /// The corpus must outlive the sampler.
  BatchSampler(const ParallelCorpus& corpus, const BatchOptions& options);

  Batch peek(std::int64_t ahead) const override;
  TokenCounts tokens(std::int64_t ahead) const override;
  void skip(std::int64_t batches) override;
  const State& state() const override { return state_; }
  void restore(const State& state) override;
  /// Random orders may differ by a batch.
  std::int64_t batches_in_epoch() const override { return static_cast<std::int64_t>(plan_.size()); }

 private:
  std::int64_t left_in_epoch() const { return batches_in_epoch() - state_.position; }
  /// At the start of the next epoch.
  const BatchSampler& following() const;
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
  TokenLists dropout_source_, dropout_target_;       // of this epoch; empty without dropout
  mutable std::shared_ptr<BatchSampler> following_;  // once somebody has asked for it
};

}  // namespace kette
