// What a document has between its words: tags, images, soft line ends. In a file of its own for whoever places marks and
// reads no documents (decode/mark_placement.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace kette {

/// What stands in a block and is no text: a tag, an image, inline code, a soft line end.
struct Mark {
  static constexpr std::size_t kNoPartner = static_cast<std::size_t>(-1);
  enum class Kind : std::uint8_t {
    opens,  ///< with the one that closes: round the words that the words between them became
    closes,
    stands,  ///< alone, at the place of what it stood beside
    breaks  ///< is written instead of the space at `at`: a soft line end, with what the next line begins with, or the
    ///< border between two cues. The parts between breaks have the shares of the text that they had.
  };
  Kind kind = Kind::stands;
  std::size_t at =
      0;  ///< the byte of the block's text before which it is (of breaks: whose place it takes)
  std::string bytes{};  ///< as the document has it; only its format looks inside
  std::size_t partner =
      kNoPartner;  ///< of what opens and closes: the index of the other one in the block's marks
};

}  // namespace kette
