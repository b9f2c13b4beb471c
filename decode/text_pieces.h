// The text of tokens, told in pieces as the tokens come.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/tokenizers/tokenizer.h"

namespace kette {

/// Gives whole characters only, and nothing from a stop on. It keeps the last few tokens, because what a token stands for
/// may depend on the tokens before it.
class TextPieces {
 public:
  /// prompt: the tokens before the text; they are not told. stop: texts that end the text; they are not told either.
  TextPieces(const Tokenizer& tokenizer, const std::vector<std::int32_t>& prompt,
             std::vector<std::string> stop = {});

  /// What can be told now; may be empty.
  std::string add(std::int32_t token);
  /// What is left when no more tokens come.
  std::string finish();
  /// Whether a stop was found.
  bool has_ended() const { return has_ended_; }

 private:
  /// The part of `more` that comes before a stop and cannot be the beginning of one.
  std::string before_stop(std::string more, bool is_last);

  static constexpr std::ptrdiff_t kKept = 16;
  const Tokenizer* tokenizer_;
  std::vector<std::string> stop_;
  std::vector<std::int32_t> tokens_;  // the last ones
  std::string told_;                  // of their text
  std::string held_;                  // may be the beginning of a stop
  bool has_ended_ = false;
};

/// The ids of a model that the tokenizer has no piece for: those above its own, where a vocabulary was rounded up, to a
/// multiple of 64 say. They are not to be written.
std::vector<std::int32_t> without_pieces(const Tokenizer& tokenizer, std::int64_t vocabulary);

/// The text that tokens add to a prompt. Decoded alone they would begin a text, and some tokenizers drop the space before
/// the first word of a text.
std::string text_after(const Tokenizer& tokenizer, std::vector<std::int32_t> prompt,
                       const std::vector<std::int32_t>& tokens);

}  // namespace kette
