// Where GPT-2 cuts a text before byte-pair encoding (Radford et al. 2019; OpenAI's encoder.py). At
// every place the first of these that matches is a piece:
//   's 't 're 've 'm 'll 'd | ?\p{L}+ | ?\p{N}+ | ?[^\s\p{L}\p{N}]+ | \s+(?!\S) | \s+
// that is, a contraction, or a run of letters, of numbers or of other characters, each with a space
// before it, or white space up to the last one before a word. \s is the property White_Space. A byte
// that is not UTF-8 counts as one of the other characters, and so does what Unicode encoded after
// utf8proc was made (2.8 knows Unicode 15).
#pragma once

#include <cstddef>
#include <string_view>

namespace kette {

/// Where the piece that starts at `at` ends; `at` is a place in the text where a piece starts.
std::size_t gpt2_piece_end(std::string_view text, std::size_t at);

/// The first place from `at` on where a piece ends whatever stands around: between a character that
/// is no white space and one that is. No piece goes over it, and none looks behind its start or, if
/// it ends there, ahead. The end of the text if there is none.
std::size_t gpt2_safe_cut(std::string_view text, std::size_t at);

}  // namespace kette
