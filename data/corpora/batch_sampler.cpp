#include "data/corpora/batch_sampler.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>
#include <utility>

#include "data/corpora/purpose.h"
#include "tensor/error.h"
#include "tensor/parallel_for.h"
#include "tensor/splitmix.h"

namespace kette {
namespace {

/// Lengths that count as similar: those with the same quotient by this number of tokens.
constexpr std::int64_t kLengthBucket = 4;

}  // namespace

std::vector<double> tempered_shares(const std::vector<std::int64_t>& ends_of_parts,
                                    double temperature) {
  std::vector<double> shares;
  for (std::size_t i = 0; i < ends_of_parts.size(); ++i) {
    const std::int64_t begin = i > 0 ? ends_of_parts[i - 1] : 0;
    shares.push_back(std::pow(static_cast<double>(ends_of_parts[i] - begin), 1 / temperature));
  }
  return shares;
}

BatchSampler::BatchSampler(const ParallelCorpus& corpus, const BatchOptions& options)
    : corpus_(&corpus), options_(options) {
  KETTE_CHECK(options.bpe_dropout >= 0 && options.bpe_dropout < 1,
              "bpe_dropout: expected a probability from 0 to below 1, given ", options.bpe_dropout);
  if (options.bpe_dropout > 0) {
    KETTE_CHECK(corpus.tokenizer() != nullptr,
                "bpe_dropout: expected a corpus made of text, given one made of ids");
    KETTE_CHECK(
        corpus.tokenizer()->is_bpe(),
        "bpe_dropout: expected a BPE model, given a unigram model (train with BPE, or set it to 0)");
  }
  const std::size_t parts = corpus.ends_of_parts().size();
  KETTE_CHECK(options.shares.empty() || options.shares.size() == parts,
              "shares: expected one for each of the ", parts, " texts, given ",
              options.shares.size());
  double all = 0;
  for (const double share : options.shares) {
    KETTE_CHECK(std::isfinite(share) && share > 0, "shares: expected numbers above 0, given ",
                share);
    all += share;
    KETTE_CHECK(std::isfinite(all), "shares: expected numbers whose sum is finite, given ", share,
                " among others (what counts is how they compare: make all smaller)");
  }
  plan_epoch();
}

Batch BatchSampler::peek(std::int64_t ahead) const {
  if (ahead >= left_in_epoch()) return following().peek(ahead - left_in_epoch());
  return make_batch(source(), target(), plan_[state_.position + ahead], corpus_->special());
}

TokenCounts BatchSampler::tokens(std::int64_t ahead) const {
  if (ahead >= left_in_epoch()) return following().tokens(ahead - left_in_epoch());
  TokenCounts counts;
  for (const std::int64_t pair : plan_[state_.position + ahead]) {
    counts += {source().length(pair) + 1, target().length(pair) + 1};
  }
  return counts;
}

void BatchSampler::skip(std::int64_t batches) {
  while (batches >= left_in_epoch()) {
    batches -= left_in_epoch();
    if (following_.use_count() == 1) {
      const std::shared_ptr<BatchSampler> next = std::move(following_);
      *this = std::move(*next);
    } else {  // nobody has looked ahead, or a copy of this one has, too
      state_ = {state_.epoch + 1, 0};
      plan_epoch();
    }
  }
  state_.position += batches;
}

const BatchSampler& BatchSampler::following() const {
  if (!following_) {
    const auto next = std::make_shared<BatchSampler>(*this);
    next->state_ = {state_.epoch + 1, 0};
    next->plan_epoch();
    following_ = next;
  }
  return *following_;
}

void BatchSampler::restore(const State& state) {
  KETTE_CHECK(state.epoch >= 0, "BatchSampler: expected an epoch of at least 0, given ",
              state.epoch);
  const State before = std::exchange(state_, state);
  plan_epoch();
  if (state.position >= 0 && state.position < batches_in_epoch()) return;
  const std::int64_t batches = batches_in_epoch();
  state_ = before;
  plan_epoch();
  fail("BatchSampler: expected a position from 0 to ", batches - 1, " in epoch ", state.epoch,
       ", given ", state.position, " (resume with the same data, batch size and seed)");
}

void BatchSampler::plan_epoch() {
  following_.reset();
  if (options_.bpe_dropout > 0) draw_pieces();
  BatchPlan batches = cut(shuffled_order(), source(), target(), options_.tokens_per_batch);
  std::vector<std::pair<std::uint64_t, std::size_t>> order;
  for (std::size_t i = 0; i < batches.size(); ++i) {
    order.emplace_back(hash_of(Purpose::batches, options_.seed, state_.epoch, i), i);
  }
  std::sort(order.begin(), order.end());
  plan_.clear();
  for (const auto& [hash, i] : order) plan_.push_back(std::move(batches[i]));
}

std::vector<BatchSampler::Draw> BatchSampler::draws() const {
  std::vector<Draw> result;
  const auto take_all = [&](std::int64_t begin, std::int64_t end, std::int64_t time) {
    for (std::int64_t i = begin; i < end; ++i) result.push_back({i, time});
  };
  if (options_.shares.empty()) {
    take_all(0, corpus_->size(), 0);
    return result;
  }
  const double all = std::accumulate(options_.shares.begin(), options_.shares.end(), 0.0);
  const std::vector<std::int64_t> ends = corpus_->ends_of_parts();
  // Shares are rounded at random, so that over the epochs each part has its own, however small, and all together
  // the size of the corpus: as many of the numbers 0, 1, 2 ... as lie in a part's stretch, all moved by one chance.
  const double chance = unit_interval(hash_of(Purpose::shares, options_.seed, state_.epoch));
  double sum = 0;
  std::int64_t before = 0;
  for (std::size_t part = 0; part < ends.size(); ++part) {
    const std::int64_t begin = part > 0 ? ends[part - 1] : 0, pairs = ends[part] - begin;
    sum += options_.shares[part];
    const auto until = static_cast<std::int64_t>(
        std::floor(static_cast<double>(corpus_->size()) * (sum / all) + chance));
    const std::int64_t wanted = until - std::exchange(before, until);
    for (std::int64_t time = 0; time < wanted / pairs; ++time) take_all(begin, ends[part], time);
    std::vector<std::pair<std::uint64_t, std::int64_t>> rest;
    for (std::int64_t i = begin; i < ends[part]; ++i) {
      rest.emplace_back(hash_of(Purpose::rest, options_.seed, state_.epoch, i), i);
    }
    std::sort(rest.begin(), rest.end());
    rest.resize(static_cast<std::size_t>(wanted % pairs));
    for (const auto& [hash, pair] : rest) result.push_back({pair, wanted / pairs});
  }
  return result;
}

std::vector<std::int64_t> BatchSampler::shuffled_order() const {
  // Length bucket first, then a random number; the place itself settles the rare tie.
  std::vector<std::tuple<std::int64_t, std::uint64_t, std::int64_t>> keys;
  keys.reserve(corpus_->size());
  for (const auto& [i, time] : draws()) {
    const std::int64_t length = std::max(source().length(i), target().length(i));
    // Another time of a pair has another place, as if it stood behind the whole corpus.
    const std::int64_t place = time * corpus_->size() + i;
    keys.emplace_back(length / kLengthBucket,
                      hash_of(Purpose::sentences, options_.seed, state_.epoch, place), i);
  }
  std::sort(keys.begin(), keys.end());
  std::vector<std::int64_t> order;
  order.reserve(keys.size());
  for (const auto& key : keys) order.push_back(std::get<2>(key));
  return order;
}

void BatchSampler::draw_pieces() {
  const std::int64_t count = corpus_->size();
  const FilterOptions& filters = corpus_->report().options;
  const std::int64_t limit =
      filters.must_fit > 0 ? std::min(filters.max_length, filters.must_fit) : filters.max_length;
  const auto draw = [&](const TokenLists& plain, Side side, Purpose purpose) {
    if (!corpus_->tokenizer()->is_bpe(side)) return plain;
    std::vector<std::vector<std::int32_t>> ids(count);
    parallel_for(count, 64, [&](std::int64_t i) {
      auto& pieces = ids[i];
      pieces = corpus_->tokenizer()->resegment(plain[i], options_.bpe_dropout,
                                               hash_of(purpose, options_.seed, state_.epoch, i));
      if (static_cast<std::int64_t>(pieces.size()) > limit) {
        pieces.assign(plain[i].begin(), plain[i].end());
      }
    });
    TokenLists lists;
    for (const auto& pieces : ids) lists.add(pieces);
    return lists;
  };
  dropout_source_ = draw(corpus_->source(), Side::source, Purpose::source_pieces);
  dropout_target_ = draw(corpus_->target(), Side::target, Purpose::target_pieces);
}

const TokenLists& BatchSampler::source() const {
  return options_.bpe_dropout > 0 ? dropout_source_ : corpus_->source();
}

const TokenLists& BatchSampler::target() const {
  return options_.bpe_dropout > 0 ? dropout_target_ : corpus_->target();
}

}  // namespace kette
