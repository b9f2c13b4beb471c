// The ids that stand for no text: padding (never in a batch, never chosen), unknown pieces, what a
// decoder reads first, and the end of a sentence or of a document. The tokenizer gives them and the
// model's configuration keeps them; those of a vocabulary of Kette's own are 0 to 3. A language
// model needs none but the end, which it reads first, too.
#pragma once

#include <cstdint>
#include <string_view>

namespace kette {

/// What GPT-2's vocabulary has for the end of a document, and many texts have between documents.
inline constexpr std::string_view kEndOfTextPiece = "<|endoftext|>";

struct SpecialTokens {
  static constexpr std::int32_t kNone = -1;  ///< of those that a vocabulary has not

  std::int32_t pad = 0;
  std::int32_t unknown = 1;
  std::int32_t begin = 2;
  std::int32_t end = 3;

  static constexpr SpecialTokens of_end(std::int32_t end) { return {kNone, kNone, end, end}; }
  /// Whether there are all that translation needs.
  bool are_complete() const { return pad != kNone && unknown != kNone; }

  friend bool operator==(const SpecialTokens&, const SpecialTokens&) = default;
};

}  // namespace kette
