#include "data/corpora/draws.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "data/corpora/purpose.h"
#include "data/corpora/shuffled_place.h"
#include "tensor/error.h"
#include "tensor/splitmix.h"

namespace kette {
namespace {

void check_shares(const std::vector<double>& shares, std::size_t parts) {
  KETTE_CHECK(shares.empty() || shares.size() == parts, "shares: expected one for each of the ",
              parts, " texts, given ", shares.size());
  double all = 0;
  for (const double share : shares) {
    KETTE_CHECK(std::isfinite(share) && share >= 0,
                "shares: expected numbers of at least 0, given ", share);
    all += share;
    KETTE_CHECK(std::isfinite(all), "shares: expected numbers whose sum is finite, given ", share,
                " among others (what counts is how they compare: make all smaller)");
  }
  KETTE_CHECK(shares.empty() || all > 0, "shares: expected one above 0, given none");
}

}  // namespace

Draws::Draws(const std::vector<std::int64_t>& ends, const std::vector<double>& shares,
             std::uint64_t seed, std::int64_t epoch)
    : pairs_(ends.back()) {
  check_shares(shares, ends.size());
  const double all = std::accumulate(shares.begin(), shares.end(), 0.0);
  // Shares are rounded at random, so that over the epochs each part has its own, however small, and all together
  // the size of the corpus: as many of the numbers 0, 1, 2 ... as lie in a part's stretch, all moved by one chance.
  const double chance = unit_interval(hash_of(Purpose::shares, seed, epoch));
  double sum = 0;
  std::int64_t begin = 0, drawn = 0;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    std::int64_t until = ends[i];
    if (!shares.empty()) {
      sum += shares[i];
      until =
          static_cast<std::int64_t>(std::floor(static_cast<double>(pairs_) * (sum / all) + chance));
    }
    const std::int64_t pairs = ends[i] - begin;
    parts_.push_back({begin, pairs, drawn, until, hash_of(Purpose::rest, seed, epoch, i)});
    begin = ends[i];
    drawn = until;
  }
}

const Draws::Part& Draws::part_of(std::int64_t number) const {
  return *std::upper_bound(
      parts_.begin(), parts_.end(), number,
      [](std::int64_t draw, const Part& each) { return draw < each.last_draw; });
}

Draws::Draw Draws::operator[](std::int64_t number) const {
  const Part& part = part_of(number);
  const std::int64_t of_part = number - part.first_draw, time = of_part / part.pairs,
                     place = of_part % part.pairs,
                     whole = (part.last_draw - part.first_draw) / part.pairs;
  return {part.begin + (time < whole ? place : shuffled_place(place, part.pairs, part.key)), time};
}

std::int64_t Draws::place(std::int64_t number) const {
  const Part& part = part_of(number);
  const std::int64_t of_part = number - part.first_draw;
  return of_part / part.pairs * pairs_ + part.begin + of_part % part.pairs;
}

std::vector<double> tempered_shares(const std::vector<std::int64_t>& ends_of_parts,
                                    double temperature) {
  std::vector<double> shares;
  for (std::size_t i = 0; i < ends_of_parts.size(); ++i) {
    const std::int64_t begin = i > 0 ? ends_of_parts[i - 1] : 0;
    shares.push_back(std::pow(static_cast<double>(ends_of_parts[i] - begin), 1 / temperature));
  }
  return shares;
}

}  // namespace kette
