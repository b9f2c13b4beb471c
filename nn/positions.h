// Where a token stands in its sequence, as numbers and as sines (Vaswani et al. 2017, section 3.5).
#pragma once

#include <vector>

#include "tensor/enum_names.h"
#include "tensor/segments.h"
#include "tensor/tensor.h"

namespace kette {

/// Which columns the sines and the cosines of a frequency are in.
enum class SinusoidLayout : std::uint8_t {
  interleaved,  ///< 2i and 2i + 1, the paper's section 3.5
  concatenated  ///< i and ceil(width / 2) + i, as in Marian and in the paper's own code
};
template <>
inline constexpr auto kNamesOf<SinusoidLayout> = enum_names<SinusoidLayout>(
    {{SinusoidLayout::interleaved, "interleaved"}, {SinusoidLayout::concatenated, "concatenated"}});

/// sin(pos / 10000^(2i / width)) and cos(the same), section 3.5. Result: f32 [positions, width].
Tensor sinusoidal_positions(std::int64_t positions, std::int64_t width,
                            SinusoidLayout layout = SinusoidLayout::interleaved);
/// Column j of the concatenated layout is column order[j] of the interleaved one.
std::vector<std::int64_t> concatenated_order(std::int64_t width);

/// The row's position within its sequence, from `first`: i32 [rows].
Tensor row_positions(const Segments& segments, std::int64_t first = 0);

}  // namespace kette
