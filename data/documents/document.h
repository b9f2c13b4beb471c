// A document as blocks of text, and the bytes around them, which come back as they were: structure, times, columns,
// attributes. What reads a format finds the blocks; what translates changes their text and carries their marks over;
// Document::with() lays the result out as the source was.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "data/documents/mark.h"

namespace kette {

/// A character that the document spells otherwise than plainly: an entity, an escape.
struct Spelling {
  std::string plain, spelled;
};

/// A paragraph, heading, list item, cell: no sentence goes beyond it.
struct TextBlock {
  std::string text{};  ///< UTF-8 without marks, escapes and entities; no white space at its ends
  std::vector<Mark> marks{};  ///< rising by `at`; at one place in their order
  std::vector<Spelling>
      spellings{};  ///< of each character in the order of the text; the last one goes on
};

class Document {
 public:
  virtual ~Document() = default;

  const std::vector<TextBlock>& blocks() const { return blocks_; }
  /// The document with these texts and marks in the place of its blocks, as many; spellings are those of blocks().
  /// With blocks() itself it is the bytes that were read.
  virtual std::string with(const std::vector<TextBlock>& translations) const = 0;
  /// What was left as it is though it may have text, each with its place; mostly none.
  virtual std::vector<std::string> notes() const { return {}; }

 protected:
  std::vector<TextBlock> blocks_;
};

/// A document of one piece of bytes, of which each block takes a part.
class DocumentOfBytes : public Document {
 public:
  /// So that a document takes at most some GB, even one of the shortest blocks that there are.
  static constexpr std::size_t kMostBlocks = std::size_t{1} << 23;

  std::string with(const std::vector<TextBlock>& translations) const override;

 protected:
  explicit DocumentOfBytes(std::string bytes) : bytes_(std::move(bytes)) {}
  const std::string& bytes() const { return bytes_; }
  /// Blocks are added in their order, and no two share a byte. Before and after: what is written round the translation,
  /// where its place is another than that of the text.
  void add(TextBlock block, std::size_t begin, std::size_t end, std::string before = {},
           std::string after = {});
  /// How text is written that the document had no spelling for: what the format needs escaped. at_start: it would be
  /// the first of its line.
  virtual std::string escaped(std::string_view character, bool at_start) const;
  /// Whether a spelling of the source means in this block its character before this, too: what is written behind it, up
  /// to the next mark, or the first bytes of it. A bare "&" before "lt;" does not. Where it does not, escaped() is asked.
  virtual bool reads_back(std::size_t index, std::string_view spelled, std::string_view rest) const;
  /// Whether a line that a translation has no word for stays, for the border that it has (cues); elsewhere it would end the
  /// paragraph.
  virtual bool keeps_empty_lines() const { return true; }
  /// What is written for a block in the place of its bytes.
  virtual std::string written(std::size_t index, const TextBlock& translation) const;
  std::string_view bytes_of(std::size_t index) const;

 private:
  struct Character {
    std::string_view plain;
    const std::string* spelled;  // by the source
    bool at_start;
  };
  std::string written(std::size_t index, const std::vector<Character>& characters) const;

  struct Range {
    std::size_t begin, end;
    std::string before, after;
  };
  std::string bytes_;
  std::vector<Range> ranges_;
};

}  // namespace kette
