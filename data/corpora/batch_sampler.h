// Batches of sentence pairs, epoch after epoch (data/corpora/epoch_plan.h). The next epoch is planned while this one comes
// to its end.
#pragma once

#include <algorithm>
#include <deque>
#include <future>
#include <map>

#include "data/corpora/epoch_plan.h"
#include "data/corpora/parallel_corpus.h"
#include "data/corpora/sampler.h"

namespace kette {

struct BatchOptions {
  /// Of the larger side, end marks counted.
  std::int64_t tokens_per_batch = 4096;
  std::uint64_t seed = 1;
  /// Above 0 a pair is encoded anew whenever it comes, each merge refused with this probability (BPE-dropout). A sentence
  /// that this would lengthen past the corpus's max_length keeps its plain pieces. Batches hold as many pairs as makes them
  /// tokens_per_batch long in the mean.
  double bpe_dropout = 0;
  /// Of the parts of a joined corpus in each stage, see Draws; empty: one stage, of every pair once an epoch.
  std::vector<std::vector<double>> shares{};
};

class BatchSampler final : public Sampler {
 public:
  /// The corpus must outlive the sampler.
  BatchSampler(const ParallelCorpus& corpus, const BatchOptions& options);

  Batch peek(std::int64_t ahead) const override;
  TokenCounts tokens(std::int64_t ahead) const override;
  void skip(std::int64_t batches) override;
  const State& state() const override { return state_; }
  void restore(const State& state) override;
  std::int64_t batches_in_epoch() const override { return plan(0).batches(); }
  std::int64_t stages() const override {
    return std::max<std::int64_t>(1, std::ssize(options_.shares));
  }
  /// As far in the epoch as before: one that mixes as the stage before it draws the same batches on.
  void begin_stage(std::int64_t stage) override;

 private:
  /// Of the epoch that comes after so many others.
  const EpochPlan& plan(std::int64_t ahead) const;
  void begin_plan() const;
  Draws draws(std::int64_t stage, std::int64_t epoch) const;
  void check_stage(std::int64_t stage) const;
  /// Which plan has the batch that comes after `ahead` others, and its number there.
  std::pair<const EpochPlan&, std::int64_t> find(std::int64_t ahead) const;
  Batch make(const EpochPlan& plan, std::int64_t number) const;
  void draw_pieces(std::int64_t epoch, const Draws::Draw& draw, PairIds& ids) const;
  double growth() const;

  const ParallelCorpus* corpus_;
  BatchOptions options_;
  std::int64_t tokens_per_batch_;  // of plain pieces
  State state_;
  mutable std::deque<std::shared_future<EpochPlan>> plans_;  // of this epoch and those after it
  /// Made for their lengths, which nothing else tells, by epoch and number.
  mutable std::map<std::pair<std::int64_t, std::int64_t>, Batch> drawn_;
};

}  // namespace kette
