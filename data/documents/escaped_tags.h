// Tags of HTML in text that another format escapes: <b> in a msgid, &lt;b&gt; or CDATA in XLIFF.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data/documents/inline_text.h"

namespace kette {

/// Text without its escapes, and the place in the document of each of its bytes.
class UnescapedText {
 public:
  /// Bytes [begin, end) of the document stand for `plain`, which may be empty.
  void add(std::string_view plain, std::size_t begin, std::size_t end);
  std::string_view text() const { return text_; }
  std::size_t begin_of(std::size_t at) const { return begins_[at]; }
  std::size_t end_of(std::size_t at) const { return ends_[at]; }  ///< of the byte at `at`

 private:
  std::string text_;
  std::vector<std::size_t> begins_, ends_;
};

struct EscapedTag {
  enum class Kind { opens, closes, stands, border };  ///< border: of paragraphs or lines
  Kind kind = Kind::stands;
  std::size_t begin = 0, end = 0;  ///< in the document
  std::string name{};
};

/// Start tags with an end tag after them, end tags, empty elements, comments, and code as a whole;
/// in text order. Placeholders such as "<file>" are text.
std::vector<EscapedTag> escaped_tags(const UnescapedText& text);

/// Hands out tags while their text is read.
class EscapedTags {
 public:
  EscapedTags() = default;
  explicit EscapedTags(std::vector<EscapedTag> tags) : tags_(std::move(tags)) {}

  /// If a tag begins at this byte of the document, adds it to the block and returns the place after
  /// it, else `at`. end_block(): called for a border outside of all marks that are open.
  template <class EndBlock>
  std::size_t read(std::size_t at, InlineText& text, const EndBlock& end_block) {
    while (next_ < tags_.size() && tags_[next_].begin < at) ++next_;
    if (next_ == tags_.size() || tags_[next_].begin != at) return at;
    const EscapedTag& tag = tags_[next_];
    if (tag.kind == EscapedTag::Kind::border) {
      if (text.has_open()) text.space(tag.begin, tag.end);
      if (!text.has_open()) end_block();
    } else {
      const auto kind = tag.kind == EscapedTag::Kind::opens    ? Mark::Kind::opens
                        : tag.kind == EscapedTag::Kind::closes ? Mark::Kind::closes
                                                               : Mark::Kind::stands;
      text.mark(kind, tag.begin, tag.end, tag.name);
    }
    return tag.end;
  }

 private:
  std::vector<EscapedTag> tags_;
  std::size_t next_ = 0;
};

}  // namespace kette
