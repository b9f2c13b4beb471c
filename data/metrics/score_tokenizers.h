// How a line is split into the words that BLEU counts; equal to sacreBLEU's tokenizers of these
// names:
//   v13a  mteval-v13a.pl of the WMT evaluations: splits ASCII punctuation from Western words
//   none  only white space separates words
//   chars every character but white space is a word
//   intl  mteval-v14.pl: splits by Unicode categories, punctuation (P) and symbols (S)
//   zh    of Chinese: every ideograph and full-width mark is a word, the rest is split as by v13a
// Source: M. Post, "A Call for Clarity in Reporting BLEU Scores", 2018, and the sacreBLEU 2
// library.
#pragma once

#include <string>
#include <string_view>

#include "tensor/enum_names.h"

namespace kette {

enum class ScoreTokenizer { v13a, none, chars, intl, zh };
/// As on the command line and in signatures.
template <>
inline constexpr auto kNamesOf<ScoreTokenizer> =
    enum_names<ScoreTokenizer>({{ScoreTokenizer::v13a, "13a"},
                                {ScoreTokenizer::none, "none"},
                                {ScoreTokenizer::chars, "char"},
                                {ScoreTokenizer::intl, "intl"},
                                {ScoreTokenizer::zh, "zh"}});

/// Whether it expects raw text and splits punctuation from words.
constexpr bool takes_raw_text(ScoreTokenizer tokenizer) {
  return tokenizer == ScoreTokenizer::v13a || tokenizer == ScoreTokenizer::intl;
}

/// The line with words and punctuation separated by spaces; split() gives the words
/// (data/files/unicode.h).
std::u32string set_apart(ScoreTokenizer tokenizer, std::u32string_view line);

/// The same as Tercom does for TER, which also splits off possessives. asian: every ideograph,
/// enclosed letter and mark of Chinese and Japanese is a word.
std::u32string set_apart_tercom(std::u32string_view line, bool asian);
/// Removes . , ? : ; ! " ( ) and, if asian, the Asian marks that Tercom knows.
std::u32string without_tercom_punctuation(std::u32string_view line, bool asian);

}  // namespace kette
