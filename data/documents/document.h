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
struct Block {
  std::string text{};  ///< UTF-8 without marks, escapes and entities; no white space at its ends
  std::vector<Mark> marks{};          ///< rising by `at`; at one place in their order
  std::vector<Spelling> spellings{};  ///< in the order of the text
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
  std::string with(const std::vector<Block>& translations) const override;

 protected:
  explicit DocumentOfBytes(std::string bytes) : bytes_(std::move(bytes)) {}
  const std::string& bytes() const { return bytes_; }
  /// Blocks are added in their order, and no two share a byte.
  void add(Block block, std::size_t begin, std::size_t end);
  /// How text is written that the document had no spelling for: what the format needs escaped. at_start: it would be
  /// the first of its line.
  virtual std::string escaped(std::string_view character, bool at_start) const;

 private:
  std::string written(const Block& block, const std::vector<Spelling>& spellings) const;

  struct Range {
    std::size_t begin, end;
  };
  std::string bytes_;
  std::vector<Range> ranges_;
};

}  // namespace kette
