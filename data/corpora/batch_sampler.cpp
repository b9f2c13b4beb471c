#include "data/corpora/batch_sampler.h"

#include <algorithm>
#include <utility>

#include "data/corpora/purpose.h"
#include "tensor/error.h"
#include "tensor/splitmix.h"

namespace kette {

BatchSampler::BatchSampler(const ParallelCorpus& corpus, const BatchOptions& options)
    : corpus_(&corpus), options_(options), tokens_per_batch_(options.tokens_per_batch) {
  KETTE_CHECK(options.bpe_dropout >= 0 && options.bpe_dropout < 1,
              "bpe_dropout: expected a probability from 0 to below 1, given ", options.bpe_dropout);
  if (options.bpe_dropout > 0) {
    KETTE_CHECK(corpus.tokenizer() != nullptr,
                "bpe_dropout: expected a corpus made of text, given one made of ids");
    KETTE_CHECK(
        corpus.tokenizer()->is_bpe(),
        "bpe_dropout: expected a BPE model, given a unigram model (train with BPE, or set it to 0)");
    const auto plain = static_cast<double>(options.tokens_per_batch) / growth();
    tokens_per_batch_ = std::max<std::int64_t>(1, static_cast<std::int64_t>(plain));
  }
  for (std::int64_t stage = 0; stage < stages(); ++stage) draws(stage, 0);  // which checks them
  plan(0);
}

Batch BatchSampler::peek(std::int64_t ahead) const {
  const auto [plan, number] = find(ahead);
  const auto drawn = drawn_.find({plan.epoch(), number});
  return drawn != drawn_.end() ? drawn->second : make(plan, number);
}

TokenCounts BatchSampler::tokens(std::int64_t ahead) const {
  const auto [plan, number] = find(ahead);
  if (options_.bpe_dropout > 0) {
    const auto [drawn, is_new] = drawn_.try_emplace({plan.epoch(), number});
    if (is_new) drawn->second = make(plan, number);
    return tokens_of(drawn->second);
  }
  TokenCounts counts;
  for (const Draws::Draw& draw : plan.batch(number)) {
    const PairLengths lengths = corpus_->lengths(draw.pair);
    counts += {lengths.source + 1, lengths.target + 1};
  }
  return counts;
}

void BatchSampler::skip(std::int64_t batches) {
  state_.position += batches;
  while (state_.position >= batches_in_epoch()) {
    const std::int64_t over = state_.position - batches_in_epoch();
    if (plans_.size() == 1) begin_plan();
    plans_.pop_front();
    state_ = {state_.epoch + 1, over, state_.stage};
  }
  drawn_.erase(drawn_.begin(), drawn_.lower_bound({state_.epoch, state_.position}));
  // A sixteenth of an epoch is time enough.
  if (plans_.size() == 1 && 16 * (batches_in_epoch() - state_.position) <= batches_in_epoch()) {
    begin_plan();
  }
}

void BatchSampler::restore(const State& state) {
  KETTE_CHECK(state.epoch >= 0, "BatchSampler: expected an epoch of at least 0, given ",
              state.epoch);
  check_stage(state.stage);
  const State before = std::exchange(state_, state);
  const auto plans_before = std::exchange(plans_, {});
  drawn_.clear();
  if (state.position >= 0 && state.position < batches_in_epoch()) return;
  const std::int64_t batches = batches_in_epoch();
  state_ = before;
  plans_ = plans_before;
  fail("BatchSampler: expected a position from 0 to ", batches - 1, " in epoch ", state.epoch,
       ", given ", state.position, " (resume with the same data, batch size and seed)");
}

void BatchSampler::begin_stage(std::int64_t stage) {
  check_stage(stage);
  const std::int64_t batches = batches_in_epoch();
  plans_.clear();
  drawn_.clear();
  state_.stage = stage;
  state_.position = state_.position * batches_in_epoch() / batches;
}

void BatchSampler::check_stage(std::int64_t stage) const {
  KETTE_CHECK(stage >= 0 && stage < stages(), "BatchSampler: expected a stage from 0 to ",
              stages() - 1, ", given ", stage);
}

const EpochPlan& BatchSampler::plan(std::int64_t ahead) const {
  while (std::ssize(plans_) <= ahead) begin_plan();
  return plans_[ahead].get();
}

void BatchSampler::begin_plan() const {
  const std::int64_t epoch = state_.epoch + std::ssize(plans_);
  const auto make = [corpus = corpus_, draws = draws(state_.stage, epoch), seed = options_.seed,
                     tokens = tokens_per_batch_,
                     epoch] { return EpochPlan(*corpus, draws, tokens, seed, epoch); };
  plans_.push_back(std::async(std::launch::async, make).share());
}

Draws BatchSampler::draws(std::int64_t stage, std::int64_t epoch) const {
  return Draws(corpus_->ends_of_parts(),
               options_.shares.empty() ? std::vector<double>() : options_.shares[stage],
               options_.seed, epoch);
}

std::pair<const EpochPlan&, std::int64_t> BatchSampler::find(std::int64_t ahead) const {
  std::int64_t number = state_.position + ahead, epochs = 0;
  for (; number >= plan(epochs).batches(); ++epochs) number -= plan(epochs).batches();
  return {plan(epochs), number};
}

Batch BatchSampler::make(const EpochPlan& plan, std::int64_t number) const {
  const std::vector<Draws::Draw> draws = plan.batch(number);
  std::vector<std::int64_t> pairs;
  pairs.reserve(draws.size());
  for (const Draws::Draw& draw : draws) pairs.push_back(draw.pair);
  ChangePair change;
  if (options_.bpe_dropout > 0) {
    change = [&](std::size_t place, PairIds& ids) { draw_pieces(plan.epoch(), draws[place], ids); };
  }
  return make_batch(*corpus_, pairs, corpus_->special(), change);
}

void BatchSampler::draw_pieces(std::int64_t epoch, const Draws::Draw& draw, PairIds& ids) const {
  // Another number whenever a pair comes again in an epoch.
  const std::int64_t number = draw.time * corpus_->size() + draw.pair;
  const std::int64_t limit = corpus_->report().options.longest();
  const auto draw_side = [&](std::vector<std::int32_t>& plain, Side side, Purpose purpose) {
    if (!corpus_->tokenizer()->is_bpe(side)) return;
    std::vector<std::int32_t> pieces = corpus_->tokenizer()->resegment(
        plain, options_.bpe_dropout, hash_of(purpose, options_.seed, epoch, number));
    if (std::ssize(pieces) <= limit) plain = std::move(pieces);
  };
  draw_side(ids.source, Side::source, Purpose::source_pieces);
  draw_side(ids.target, Side::target, Purpose::target_pieces);
}

/// How many times as many pieces a pair has in the mean of some that lie all over the corpus.
double BatchSampler::growth() const {
  constexpr std::int64_t kSome = 1000;
  const std::int64_t some = std::min(kSome, corpus_->size());
  double plain = 0, drawn = 0;
  const auto longer = [](const PairIds& ids) {
    return static_cast<double>(std::max(ids.source.size(), ids.target.size()) + 1);
  };
  for (std::int64_t i = 0; i < some; ++i) {
    const std::int64_t pair = i * corpus_->size() / some;
    PairIds ids = corpus_->read(pair);
    plain += longer(ids);
    draw_pieces(0, {pair, 0}, ids);
    drawn += longer(ids);
  }
  return drawn / plain;
}

}  // namespace kette
