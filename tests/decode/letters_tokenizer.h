// Tokenizers of 60 pieces.
#pragma once

#include "data/tokenizers/sentencepiece_tokenizer.h"
#include "tensor/random.h"

namespace kette::testing {

/// Of words of the letters a to i.
inline SharedTokenizer letters_tokenizer() {
  std::vector<std::string> lines;
  Random random(1, 1);
  for (int i = 0; i < 200; ++i) {
    std::string line;
    for (int word = 0; word < 6; ++word) {
      for (int letter = 0; letter < 4; ++letter) line += static_cast<char>('a' + random.below(9));
      line += ' ';
    }
    lines.push_back(line);
  }
  SentencePieceOptions options;
  options.vocabulary = 60;
  return SentencePieceTokenizer::train(std::vector<std::string_view>(lines.begin(), lines.end()),
                                       options);
}

/// Of a sentence of small letters.
inline SharedTokenizer tokenizer_of_small_letters() {
  const std::vector<std::string_view> lines(40, "the quick brown fox jumps over the lazy dog .");
  SentencePieceOptions options;
  options.vocabulary = 60;
  return SentencePieceTokenizer::train(lines, options);
}

}  // namespace kette::testing
