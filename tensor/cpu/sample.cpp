// The next token of each row, drawn on the CPU. Sums by the leading bits of the logits (buckets)
// show which bucket has the least likely kept token; only that bucket is sorted.
#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <utility>
#include <vector>

#include "tensor/cpu/parallel.h"
#include "tensor/cpu/scratch.h"
#include "tensor/kernels.h"
#include "tensor/rank.h"
#include "tensor/token_draw.h"

namespace kette::kernels {
namespace {

constexpr std::int64_t kExpOperations = 16;

/// The likeliest token's rank; 0 if a logit is not finite. Integers, so that the loop vectorises.
Rank likeliest(const float* logits, std::int64_t vocabulary) {
  constexpr std::uint32_t kInfinity = 0x7f800000u;
  std::uint32_t highest = 0, largest = 0;
  for (std::int64_t v = 0; v < vocabulary; ++v) {
    highest = std::max(highest, rising_bits(logits[v]));
    largest = std::max(largest, std::bit_cast<std::uint32_t>(logits[v]) & 0x7fffffffu);
  }
  if (largest >= kInfinity) return 0;
  const float peak = value_of(Rank{highest} << 32);
  return rank_of(peak, std::find(logits, logits + vocabulary, peak) - logits);
}

/// The tokens of a row that may be drawn, in token order. Each has weight 1 before weigh().
class Candidates {
 public:
  Candidates(const float* logits, std::int64_t vocabulary)
      : ranks_(vocabulary), weights_(vocabulary), count_(vocabulary) {
    for (std::int64_t v = 0; v < vocabulary; ++v) ranks()[v] = rank_of(logits[v], v);
    std::fill_n(weights(), vocabulary, 1);
  }

  /// Returns the sum of the weights.
  TokenWeight weigh(float peak, double temperature) {
    TokenWeight total = 0;
    for (std::int64_t i = 0; i < count_; ++i) {
      weights()[i] = token_weight(value_of(ranks()[i]), peak, temperature);
      total += weights()[i];
    }
    return total;
  }

  /// Keeps the fewest likeliest tokens whose weights reach `needed`. Returns their sum.
  TokenWeight keep(TokenWeight needed) {
    constexpr int kBits = 12, kShift = 64 - kBits;
    std::array<TokenWeight, std::size_t{1} << kBits> sums{};
    for (std::int64_t i = 0; i < count_; ++i) sums[ranks()[i] >> kShift] += weights()[i];
    TokenWeight total = 0;
    Rank bucket = sums.size() - 1;
    for (; total + sums[bucket] < needed; --bucket) total += sums[bucket];
    keep_from(bucket << kShift);

    std::vector<std::pair<Rank, TokenWeight>> last;  // of that bucket, the likeliest first
    for (std::int64_t i = 0; i < count_; ++i) {
      if (ranks()[i] >> kShift == bucket) last.emplace_back(ranks()[i], weights()[i]);
    }
    std::sort(last.begin(), last.end(), std::greater<>());
    auto least = last.begin();
    for (total += least->second; total < needed; total += least->second) ++least;
    keep_from(least->first);
    return total;
  }

  std::int32_t at(TokenWeight place) const {
    std::int64_t i = 0;
    for (; place >= weights()[i]; ++i) place -= weights()[i];
    return entry_of(ranks()[i]);
  }

 private:
  Rank* ranks() const { return ranks_.data(); }
  TokenWeight* weights() const { return weights_.data(); }

  void keep_from(Rank least) {
    std::int64_t kept = 0;
    for (std::int64_t i = 0; i < count_; ++i) {  // no branch: it would be hard to predict
      const Rank rank = ranks()[i];
      ranks()[kept] = rank;
      weights()[kept] = weights()[i];
      kept += rank >= least;
    }
    count_ = kept;
  }

  cpu::Scratch<Rank> ranks_;
  cpu::Scratch<TokenWeight> weights_;
  std::int64_t count_;
};

/// -1 if a logit is not finite.
std::int32_t draw(const SampleArgs& args, std::int64_t row) {
  const std::int64_t vocabulary = args.logits.width();
  const float* logits = args.logits.data<float>() + row * vocabulary;
  const Rank best = likeliest(logits, vocabulary);
  if (best == 0) return -1;
  const DrawSettings::Row how =
      DrawSettings::row(args.settings.reals.data<double>(),
                        args.settings.whole.data<std::int32_t>(), args.logits.rows(), row);
  if (how.temperature == 0) return entry_of(best);
  Candidates candidates(logits, vocabulary);
  if (how.top_k > 0 && how.top_k < vocabulary) {
    candidates.keep(static_cast<TokenWeight>(how.top_k));
  }
  TokenWeight total = candidates.weigh(value_of(best), how.temperature);
  if (how.top_p < 1) total = candidates.keep(share_of(total, how.top_p));
  return candidates.at(
      draw_place(total, {how.seed, how.text}, args.positions.data<std::int32_t>()[row]));
}

}  // namespace

void sample(CpuExec, const SampleArgs& args) {
  args.check();
  const std::int64_t rows = args.logits.rows();
  std::int32_t* drawn = args.drawn.data<std::int32_t>();
  cpu::parallel_blocks(rows, 1, args.logits.width() * kExpOperations,
                       [&](std::int64_t row, std::int64_t) {
                         const std::int32_t token = draw(args, row);
                         drawn[row] = std::max(token, 0);
                         drawn[rows + row] = token < 0;
                       });
}

}  // namespace kette::kernels
