// Marks in a document's text: tags, images, soft line ends. In its own header for code that places
// marks but reads no documents (decode/mark_placement.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace kette {

/// A part of a block that is not text: a tag, an image, inline code, a soft line end.
struct Mark {
  static constexpr std::size_t kNoPartner = static_cast<std::size_t>(-1);
  enum class Kind : std::uint8_t {
    opens,  ///< paired with `closes`: goes around the translation of the words between
    closes,
    stands,  ///< single: stays beside the translation of its neighbour
    breaks   ///< replaces the space at `at`: a soft line end with the next line's prefix, or the
    ///< border of two cues. The parts between breaks keep their shares of the text.
  };
  Kind kind = Kind::stands;
  std::size_t at = 0;   ///< the byte of the text that it precedes (a break replaces it)
  std::string bytes{};  ///< as in the document; only its format interprets them
  std::size_t partner =
      kNoPartner;  ///< for opens and closes: the other's index in the block's marks
};

}  // namespace kette
