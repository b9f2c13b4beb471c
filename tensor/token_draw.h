// How the next token is drawn, the same on every device. Weights are integers, so that a sum does
// not depend on the order of additions: devices differ only in the last bits of exp.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "tensor/random.h"

namespace kette {

/// A token's weight in the draw, or a sum of weights; that of 2^22 tokens fits.
using TokenWeight = std::uint64_t;
inline constexpr std::int64_t kMostTokens = std::int64_t{1} << 22;

/// exp((logit - peak) / temperature) in units of 2^-40, for a logit of at most `peak`. Without a
/// branch or a call, so that the compiler vectorises it: 2^n * exp(r) with |r| <= ln 2 / 2, by the
/// power series of exp with a remainder below 2^-46.
KETTE_HOST_DEVICE inline TokenWeight token_weight(float logit, float peak, double temperature) {
  constexpr double kNothing = -30;  // rounds to no weight
  constexpr double kLog2e = 1.4426950408889634, kLn2 = 0.6931471805599453;
  constexpr double kRound = 0x1.8p52;  // adding it rounds, and leaves n in the lowest bits
  const double ratio = (static_cast<double>(logit) - static_cast<double>(peak)) / temperature;
  const double x = ratio > kNothing ? ratio : kNothing;
  const double shifted = x * kLog2e + kRound;
  const double r = x - (shifted - kRound) * kLn2;
  double series = 1.0 / 39916800;  // 1 / 11!
  series = series * r + 1.0 / 3628800;
  series = series * r + 1.0 / 362880;
  series = series * r + 1.0 / 40320;
  series = series * r + 1.0 / 5040;
  series = series * r + 1.0 / 720;
  series = series * r + 1.0 / 120;
  series = series * r + 1.0 / 24;
  series = series * r + 1.0 / 6;
  series = series * r + 1.0 / 2;
  series = series * r + 1.0;
  series = series * r + 1.0;
  const auto power = (std::bit_cast<std::uint64_t>(shifted) + 40) << 52;
  const double weight = std::bit_cast<double>(std::bit_cast<std::uint64_t>(series) + power);
  return std::bit_cast<std::uint64_t>(weight + kRound) - std::bit_cast<std::uint64_t>(kRound);
}

/// The least weight that reaches a share (above 0) of the total.
KETTE_HOST_DEVICE inline TokenWeight share_of(TokenWeight total, double share) {
  const auto weight = static_cast<TokenWeight>(::ceil(share * static_cast<double>(total)));
  return weight < total ? weight : total;  // the product rounds
}

/// floor(quantile * total): the first token whose cumulative weight is above it is drawn. The
/// quantile's 53 random bits are a function of the text and the position.
KETTE_HOST_DEVICE inline TokenWeight draw_place(TokenWeight total, PhiloxKey text,
                                                std::int64_t position) {
  const auto words = philox(text, static_cast<std::uint64_t>(position));
  const std::uint64_t bits = (std::uint64_t{words[0]} << 32 | words[1]) >> 11 << 11;
  return static_cast<TokenWeight>(static_cast<unsigned __int128>(bits) * total >> 64);
}

}  // namespace kette
