// The ids that are not text: padding (never in a batch, never chosen), unknown pieces, the
// decoder's first input, and the end of a sentence or document. The tokenizer defines them and the
// model's configuration stores them; in Kette's own vocabularies they are 0 to 3. A language model
// needs only the end, which is also its first input.
#pragma once

#include <cstdint>
#include <string_view>

namespace kette {

/// The end of a document in GPT-2's vocabulary; many texts have it between documents.
inline constexpr std::string_view kEndOfTextPiece = "<|endoftext|>";

struct SpecialTokens {
  static constexpr std::int32_t kNone = -1;  ///< for ids that a vocabulary lacks

  std::int32_t pad = 0;
  std::int32_t unknown = 1;
  std::int32_t begin = 2;
  std::int32_t end = 3;

  static constexpr SpecialTokens of_end(std::int32_t end) { return {kNone, kNone, end, end}; }
  /// Whether it has all ids that translation needs.
  bool are_complete() const { return pad != kNone && unknown != kNone; }

  friend bool operator==(const SpecialTokens&, const SpecialTokens&) = default;
};

}  // namespace kette
