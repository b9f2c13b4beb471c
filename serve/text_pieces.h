// A text told as its tokens come: in whole characters, and not beyond what ends it.
#pragma once

#include <string>
#include <vector>

#include "data/tokenizers/tokenizer.h"

namespace kette {

class TextPieces {
 public:
  /// prompt: what stands before the tokens, and is not told. stop: texts that end it, and are not told.
  TextPieces(const Tokenizer& tokenizer, const std::vector<std::int32_t>& prompt,
             std::vector<std::string> stop = {});

  /// What can be told now, perhaps nothing.
  std::string add(std::int32_t token);
  /// The rest, where no more tokens come.
  std::string finish();
  /// Whether one of the stops has come.
  bool has_ended() const { return has_ended_; }

 private:
  /// What text may be told of, but for its last `held` bytes.
  std::string told(std::string text, bool is_last);

  static constexpr std::ptrdiff_t kKept = 16;
  const Tokenizer* tokenizer_;
  std::vector<std::string> stop_;
  std::vector<std::int32_t>
      tokens_;               // the last ones, for what one stands for may depend on those before it
  std::size_t written_ = 0;  // bytes of what they stand for
  std::string held_;         // that may be the beginning of a stop
  bool has_ended_ = false;
};

}  // namespace kette
