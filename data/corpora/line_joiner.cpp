#include "data/corpora/line_joiner.h"

namespace kette {

bool LineJoiner::goes_on(std::int64_t source_tokens, std::int64_t target_tokens) {
  const bool fits =
      source_tokens_ + source_tokens <= longest_ && target_tokens_ + target_tokens <= longest_;
  if (lines_ == 0 || lines_ == wanted_ || !fits) {
    wanted_ = wanted_ % most_ + 1;
    lines_ = source_tokens_ = target_tokens_ = 0;
  }
  ++lines_;
  source_tokens_ += source_tokens;
  target_tokens_ += target_tokens;
  return lines_ > 1;
}

void LineJoiner::end() { lines_ = 0; }

}  // namespace kette
