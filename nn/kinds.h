// The kinds of layers, for configurations. They name kinds without including the layers.
#pragma once

#include <cstdint>

#include "tensor/enum_names.h"

namespace kette {

/// Whether the norm comes after the sub-layer or before it (AddAndNorm in nn/block.h).
enum class NormOrder : std::uint8_t { post, pre };
template <>
inline constexpr auto kNamesOf<NormOrder> = enum_names<NormOrder>({{NormOrder::post, "post"},
                                                                   {NormOrder::pre, "pre"}});

enum class NormKind : std::uint8_t {
  layer,  ///< Ba et al. 2016
  rms,    ///< without mean and bias, Zhang and Sennrich 2019
  none    ///< the identity, for studies of small models
};
template <>
inline constexpr auto kNamesOf<NormKind> = enum_names<NormKind>({{NormKind::layer, "layer"},
                                                                 {NormKind::rms, "rms"},
                                                                 {NormKind::none, "none"}});

/// Added to the variance (layer), or to the mean square (rms).
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
