// The position of a token in its sequence, as a number and as sinusoids (Vaswani et al. 2017,
// section 3.5).
#pragma once

#include <vector>

#include "tensor/enum_names.h"
#include "tensor/segments.h"
#include "tensor/tensor.h"

namespace kette {

/// How a model encodes positions. sinusoidal: sines added to embeddings (Vaswani et al. 2017).
/// learned: a vector for each position, added to embeddings (Gehring et al. 2017, "Convolutional
/// Sequence to Sequence Learning"; GPT-2). rotary: queries and keys are rotated (Su et al. 2021, as
/// in Touvron et al. 2023, "LLaMA"). alibi: scores decrease with distance (Press et al. 2022).
enum class Positions : std::uint8_t { sinusoidal, learned, rotary, alibi };
template <>
inline constexpr auto kNamesOf<Positions> = enum_names<Positions>({{Positions::sinusoidal,
                                                                    "sinusoidal"},
                                                                   {Positions::learned, "learned"},
                                                                   {Positions::rotary, "rotary"},
                                                                   {Positions::alibi, "alibi"}});

/// Which columns hold the sine and the cosine of frequency i.
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
/// Column j of the concatenated layout is column order[j] of the interleaved one. Result: [width].
std::vector<std::int64_t> concatenated_order(std::int64_t width);

/// The position of each row in its sequence, counted from `first`: i32 [rows].
Tensor row_positions(const Segments& segments, std::int64_t first = 0);

}  // namespace kette
