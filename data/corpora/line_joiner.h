// Lines of a parallel text that follow each other, put together into one pair: so a model learns to translate several
// sentences at once, and each with those before it (Tiedemann and Scherrer 2017, "Neural Machine Translation with Extended
// Context").
#pragma once

#include <cstdint>

namespace kette {

/// Of 1, 2, ... and `most` lines in turn, so that a model knows each number of them.
class LineJoiner {
 public:
  /// longest: tokens of either side of a pair.
  LineJoiner(std::int64_t most, std::int64_t longest) : most_(most), longest_(longest) {}

  /// Whether a line of so many tokens goes on with the pair before, and does not begin one.
  bool goes_on(std::int64_t source_tokens, std::int64_t target_tokens);
  /// The text ends, or what follows is no line that the next one could follow.
  void end();

 private:
  std::int64_t most_, longest_;
  std::int64_t wanted_ = 0, lines_ = 0;  // of the pair
  std::int64_t source_tokens_ = 0, target_tokens_ = 0;
};

}  // namespace kette
