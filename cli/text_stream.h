// Text that is written as its tokens come.
#pragma once

#include <string>
#include <vector>

#include "data/tokenizers/tokenizer.h"

namespace kette::cli {

/// Writes a text as its tokens come, whole characters at a time. Of what is written it keeps a few tokens, for what a
/// token stands for may depend on those before it.
class TextStream {
 public:
  /// prompt: what stands before them, and is not written.
  TextStream(const Tokenizer& tokenizer, const std::vector<std::int32_t>& prompt);

  void add(std::int32_t token);
  void finish();

 private:
  static constexpr std::ptrdiff_t kKept = 16;
  const Tokenizer& tokenizer_;
  std::vector<std::int32_t> tokens_;
  std::size_t written_ = 0;  // bytes of what they stand for
};

/// What the tokens add to the text of a prompt: by themselves they would begin a text, which some tokenizers spell without
/// the space before its first word.
std::string text_after(const Tokenizer& tokenizer, std::vector<std::int32_t> prompt,
                       const std::vector<std::int32_t>& tokens);

}  // namespace kette::cli
