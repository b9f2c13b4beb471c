// Where GPT-2 cuts a text before byte-pair encoding (Radford et al. 2019; OpenAI's encoder.py). At
// every position the first of these that matches is a piece:
//   's 't 're 've 'm 'll 'd | ?\p{L}+ | ?\p{N}+ | ?[^\s\p{L}\p{N}]+ | \s+(?!\S) | \s+
// that is, a contraction; or a run of letters, of numbers or of other characters, each with a space
// before it; or white space, without its last character before a word. \s is the property
// White_Space. A byte that is not UTF-8 is one of the other characters, and so is a character newer
// than utf8proc (2.8 has Unicode 15).
#pragma once

#include <cstddef>
#include <string_view>

namespace kette {

/// The end of the piece that starts at `at`, which must be the start of a piece.
std::size_t gpt2_piece_end(std::string_view text, std::size_t at);

/// The first place from `at` on where a piece ends in any context: between a non-white-space
/// character and white space. No piece crosses it, depends on what precedes it or, if it ends
/// there, on what follows. The end of the text if there is none.
std::size_t gpt2_safe_cut(std::string_view text, std::size_t at);

}  // namespace kette
