// Builds a block out of a stretch of a document, piece by piece from left to right: characters, white space, marks. The
// block takes no more of the document than it must: white space and marks at its ends stay outside, but for a mark whose
// partner is inside. White space that shows as one space is one in the text.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "data/documents/document.h"

namespace kette {

class InlineText {
 public:
  using Escape = std::string (*)(std::string_view character);

  /// Pieces are parts of these bytes. usual: how the format writes a character when nothing else is known of it.
  InlineText(std::string_view bytes, Escape usual) : bytes_(bytes), usual_(usual) {}

  /// One character, for which bytes [begin, end) stand.
  void character(std::string_view plain, std::size_t begin, std::size_t end);
  /// Bytes [begin, end) that show as one space.
  void space(std::size_t begin, std::size_t end);
  /// What opens and closes are partners by name, where they nest; others become marks that stand.
  void mark(Mark::Kind kind, std::size_t begin, std::size_t end, std::string_view name = {});
  bool has_open() const { return !open_.empty(); }
  std::size_t size() const { return text_.size(); }
  /// Whether there has been a character that is no white space.
  bool has_text() const { return solid_end_ > 0; }

  struct Found {
    TextBlock block;
    std::size_t begin = 0, end = 0;  ///< the bytes it takes
    bool has_letter = false;
  };
  /// The block of all pieces since the last take(), nothing where they had no text.
  std::optional<Found> take();

 private:
  struct Piece {
    Mark::Kind kind;
    std::size_t at, begin, end, partner;
  };
  struct Open {
    std::string name;
    std::size_t mark;
  };
  /// Of one character: its last spelling (empty: the usual one), and how often it came that is not noted yet.
  struct Seen {
    std::string_view last;
    std::size_t pending = 0;
    bool is_noted = false;
  };

  Seen& seen(std::string_view plain);
  std::string spelled(std::string_view plain, const Seen& seen) const;
  void note_spelling(std::string_view plain, std::string_view spelling);
  void close(std::string_view name);
  std::vector<Mark> marks(std::size_t first, std::size_t last);

  std::string_view bytes_;
  Escape usual_;
  std::string text_;
  std::vector<Piece> pieces_;
  std::vector<Open> open_;
  std::unordered_map<std::string, std::size_t> open_names_;
  std::array<Seen, 128> ascii_{};
  std::unordered_map<std::string, Seen> others_;
  std::vector<Spelling> spellings_;
  bool after_space_ = false;     // marks apart
  std::size_t space_begin_ = 0;  // of that space
  // Where the characters that are no white space begin and end: in the document, the text, the pieces.
  std::size_t solid_begin_ = 0, solid_end_ = 0, solid_text_ = 0, lead_ = 0, tail_ = 0;
  bool has_letter_ = false;
};

}  // namespace kette
