// A document as blocks of text, and the bytes around them, which come back as they were: structure, times, columns,
// attributes. What reads a format finds the blocks; what translates changes their text and carries their marks over;
// Document::with() lays the result out as the source was.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

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

/// A character that the document spells otherwise than plainly: an entity, an escape.
struct Spelling {
  std::string plain, spelled;
};

/// A paragraph, heading, list item, cell: no sentence goes beyond it.
struct Block {
  std::string text{};  ///< UTF-8 without marks, escapes and entities; no white space at its ends
  std::vector<Mark> marks{};  ///< rising by `at`; at one place in their order
  std::vector<Spelling>
      spellings{};  ///< of each character in the order of the text; the last one goes on
};

class Document {
 public:
  virtual ~Document() = default;

  const std::vector<Block>& blocks() const { return blocks_; }
  /// The document with these texts and marks in the place of its blocks, as many; spellings are those of blocks().
  /// With blocks() itself it is the bytes that were read.
  virtual std::string with(const std::vector<Block>& translations) const = 0;

 protected:
  std::vector<Block> blocks_;
};

/// A document of one piece of bytes, of which each block takes a part.
class DocumentOfBytes : public Document {
 public:
  /// So that a document takes at most some GB, even one of the shortest blocks that there are.
  static constexpr std::size_t kMostBlocks = std::size_t{1} << 23;

  std::string with(const std::vector<Block>& translations) const override;

 protected:
  explicit DocumentOfBytes(std::string bytes) : bytes_(std::move(bytes)) {}
  const std::string& bytes() const { return bytes_; }
  /// Blocks are added in their order, and no two share a byte. Before and after: what is written round the translation,
  /// where its place is another than that of the text.
  void add(Block block, std::size_t begin, std::size_t end, std::string before = {},
           std::string after = {});
  /// How text is written that the document had no spelling for: what the format needs escaped. at_start: it would be
  /// the first of its line.
  virtual std::string escaped(std::string_view character, bool at_start) const;
  /// Whether a spelling of the source means its character before this text, too, which goes to the next mark: a bare
  /// "&" before "lt;" does not. Where it does not, escaped() is asked.
  virtual bool reads_back(std::string_view spelled, std::string_view rest) const;
  /// What is written for a block in the place of its bytes.
  virtual std::string written(std::size_t index, const Block& translation) const;
  std::string_view bytes_of(std::size_t index) const;

 private:
  struct Range {
    std::size_t begin, end;
    std::string before, after;
  };
  std::string bytes_;
  std::vector<Range> ranges_;
};

}  // namespace kette
