// What kinds of layers there are, for configurations, which name them without having any.
#pragma once

#include <cstdint>

#include "tensor/enum_names.h"

namespace kette {

/// Where the norm of a sub-layer stands (nn/block.h, AddAndNorm).
enum class NormOrder : std::uint8_t { post, pre };
template <>
inline constexpr auto kNamesOf<NormOrder> = enum_names<NormOrder>({{NormOrder::post, "post"},
                                                                   {NormOrder::pre, "pre"}});

enum class NormKind : std::uint8_t {
  layer,  ///< Ba et al. 2016
  rms,    ///< without mean and bias, Zhang and Sennrich 2019
  none    ///< the row as it is, without parameters: what studies of small models do without
};
template <>
inline constexpr auto kNamesOf<NormKind> = enum_names<NormKind>({{NormKind::layer, "layer"},
                                                                 {NormKind::rms, "rms"},
                                                                 {NormKind::none, "none"}});

/// Added to the variance, or to the mean square.
inline constexpr double kNormEpsilon = 1e-5;

enum class FeedForwardKind : std::uint8_t { relu, gelu, gelu_erf, silu, swiglu };
template <>
inline constexpr auto kNamesOf<FeedForwardKind> =
    enum_names<FeedForwardKind>({{FeedForwardKind::relu, "relu"},
                                 {FeedForwardKind::gelu, "gelu"},
                                 {FeedForwardKind::gelu_erf, "gelu_erf"},
                                 {FeedForwardKind::silu, "silu"},
                                 {FeedForwardKind::swiglu, "swiglu"}});

}  // namespace kette
