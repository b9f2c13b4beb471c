// Builds a block from a range of a document, piece by piece from left to right: characters, white
// space, marks. The block is as small as possible: white space and marks at its ends stay outside,
// except a mark whose partner is inside. White space that shows as one space becomes one space.
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

  /// Pieces are ranges of `bytes`. usual: how the format writes a character by default.
  InlineText(std::string_view bytes, Escape usual) : bytes_(bytes), usual_(usual) {}

  /// One character, written as bytes [begin, end).
  void character(std::string_view plain, std::size_t begin, std::size_t end);
  /// Bytes [begin, end) that show as one space.
  void space(std::size_t begin, std::size_t end);
  /// Opening and closing marks of one name that nest become partners; others become single marks.
  void mark(Mark::Kind kind, std::size_t begin, std::size_t end, std::string_view name = {});
  bool has_open() const { return !open_.empty(); }
  std::size_t size() const { return text_.size(); }
  /// Whether any character was not white space.
  bool has_text() const { return solid_end_ > 0; }

  struct Found {
    TextBlock block;
    std::size_t begin = 0, end = 0;  ///< its bytes
    bool has_letter = false;
  };
  /// The block of all pieces since the last take(); nothing if they had no text.
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
  /// For one character: its last spelling (empty: the usual one), and the number of occurrences not
  /// yet noted.
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
  bool after_space_ = false;     // ignoring marks
  std::size_t space_begin_ = 0;  // of the space
  // The begin and end of the non-white-space characters: in the document, the text, the pieces.
  std::size_t solid_begin_ = 0, solid_end_ = 0, solid_text_ = 0, lead_ = 0, tail_ = 0;
  bool has_letter_ = false;
};

}  // namespace kette
