// The ids that stand for no text: padding (never in a batch, never chosen), unknown pieces, what a
// decoder reads first, and the end of a sentence. The tokenizer gives them and the model's
// configuration keeps them; those of a vocabulary of Kette's own are 0 to 3.
#pragma once

#include <cstdint>

namespace kette {

struct SpecialTokens {
  std::int32_t pad = 0;
  std::int32_t unknown = 1;
  std::int32_t begin = 2;
  std::int32_t end = 3;

  friend bool operator==(const SpecialTokens&, const SpecialTokens&) = default;
};

}  // namespace kette
