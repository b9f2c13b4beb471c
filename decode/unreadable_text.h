// What a vocabulary cannot spell: emoji, signs, foreign letters, which a model reads as unknown and so cannot carry over.
#pragma once

#include <string>
#include <vector>

#include "data/sentences/text_units.h"
#include "data/tokenizers/tokenizer.h"

namespace kette {

/// Runs of characters that become unknown pieces, with what joins or changes them (skin tones, U+200D), rising. None where
/// the vocabulary has pieces for bytes.
std::vector<TextUnit> unreadable_text(const Tokenizer& tokenizer, std::string_view text,
                                      Side side = Side::source);

}  // namespace kette
