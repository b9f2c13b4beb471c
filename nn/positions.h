// Where a token stands in its sequence, as numbers and as sines (Vaswani et al. 2017, section 3.5).
#pragma once

#include <vector>

#include "tensor/enum_names.h"
#include "tensor/segments.h"
#include "tensor/tensor.h"

namespace kette {

/// How a model knows where a token stands. Added to the embeddings: sines (Vaswani et al. 2017), or a learned vector
/// for each position (Gehring et al. 2017, "Convolutional Sequence to Sequence Learning"; GPT-2's). Turning queries
/// and keys, as in later models (Touvron et al. 2023, "LLaMA"); or as distances that scores fall with (Press et al.
/// 2022), without any table.
enum class Positions : std::uint8_t { sinusoidal, learned, rotary, alibi };
template <>
inline constexpr auto kNamesOf<Positions> = enum_names<Positions>({{Positions::sinusoidal,
                                                                    "sinusoidal"},
                                                                   {Positions::learned, "learned"},
                                                                   {Positions::rotary, "rotary"},
                                                                   {Positions::alibi, "alibi"}});

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
