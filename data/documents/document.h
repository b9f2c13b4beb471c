// A document as blocks of text, with all bytes around them (structure, times, columns, attributes)
// kept unchanged. The reader of a format finds the blocks; the translator changes their text and
// places their marks; Document::with() writes the result in the layout of the source.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "data/documents/mark.h"

namespace kette {

/// A character that the document does not write plainly: an entity, an escape.
struct Spelling {
  std::string plain, spelled;
};

/// A paragraph, heading, list item or cell: no sentence crosses its border.
struct TextBlock {
  std::string text{};                 ///< UTF-8, trimmed, without marks, escapes and entities
  std::vector<Mark> marks{};          ///< ascending by `at`, else in document order
  std::vector<Spelling> spellings{};  ///< of each character in text order; the last one repeats
};

/// Bytes [begin, end) outside of all blocks, and what replaces them.
struct DocumentEdit {
  std::size_t begin = 0, end = 0;
  std::string text{};
};

class Document {
 public:
  virtual ~Document() = default;

  const std::vector<TextBlock>& blocks() const { return blocks_; }
  /// The document with these texts and marks for its blocks, one for each; spellings are those of
  /// blocks(). with(blocks()) gives the bytes that were read.
  virtual std::string with(const std::vector<TextBlock>& translations) const = 0;
  /// Parts that may have text but were left unchanged, and what the result lacks, each with its
  /// place; usually none.
  virtual std::vector<std::string> notes() const { return {}; }

 protected:
  std::vector<TextBlock> blocks_;
};

/// A document in one byte string, of which each block is a range.
class DocumentOfBytes : public Document {
 public:
  /// Limits the memory of a document to a few GB, even with the shortest blocks.
  static constexpr std::size_t kMostBlocks = std::size_t{1} << 23;

  std::string with(const std::vector<TextBlock>& translations) const override;
  /// For a document that has this one in it: where a block begins, its bytes, those that replace
  /// them.
  std::size_t begin_of(std::size_t index) const { return ranges_[index].begin; }
  std::string_view bytes_of(std::size_t index) const;
  virtual std::string written(std::size_t index, const TextBlock& translation) const;

 protected:
  explicit DocumentOfBytes(std::string bytes) : bytes_(std::move(bytes)) {}
  /// Also with other bytes between its blocks. edits: ascending.
  std::string with(const std::vector<TextBlock>& translations,
                   const std::vector<DocumentEdit>& edits) const;
  const std::string& bytes() const { return bytes_; }
  /// Call it in the order of the blocks, which must not overlap. before, after: written around the
  /// translation, if it does not replace the text itself.
  void add(TextBlock block, std::size_t begin, std::size_t end, std::string before = {},
           std::string after = {});
  /// How to write a character for which the document had no spelling, escaped if the format needs
  /// it. at_start: it is the first of its line.
  virtual std::string escaped(std::string_view character, bool at_start) const;
  /// Whether a spelling of the source still means its character in this block if `rest` follows
  /// (the text up to the next mark, or its first bytes). A bare "&" before "lt;" does not. If
  /// false, escaped() is used.
  virtual bool reads_back(std::size_t index, std::string_view spelled, std::string_view rest) const;
  /// What is written before a block's bytes; usually that of add().
  virtual std::string before(std::size_t index, const std::vector<TextBlock>&) const {
    return ranges_[index].before;
  }
  /// Whether to keep a line that gets no word of the translation, as cues must. Elsewhere an empty
  /// line would end the paragraph.
  virtual bool keeps_empty_lines() const { return true; }

 private:
  struct Character {
    std::string_view plain;
    const std::string* spelled;  // in the source
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
