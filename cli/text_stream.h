// Writes text as its tokens are generated.
#pragma once

#include <string>
#include <vector>

#include "data/tokenizers/tokenizer.h"

namespace kette::cli {

/// Writes whole characters. It keeps the last tokens, since the text of a token may depend on those before it.
class TextStream {
 public:
  /// prompt: the tokens before, which are not written.
  TextStream(const Tokenizer& tokenizer, const std::vector<std::int32_t>& prompt);

  void add(std::int32_t token);
  void finish();

 private:
  static constexpr std::ptrdiff_t kKept = 16;
  const Tokenizer& tokenizer_;
  std::vector<std::int32_t> tokens_;
  std::size_t written_ = 0;  // bytes of the text of tokens_
};

/// The text that the tokens add to a prompt. Decoded alone they would begin a text, where some tokenizers drop the
/// space before the first word.
std::string text_after(const Tokenizer& tokenizer, std::vector<std::int32_t> prompt,
                       const std::vector<std::int32_t>& tokens);

}  // namespace kette::cli
