// Makes a block from the items of a paragraph (data/documents/docx_part.h).
#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>
#include <vector>

#include "data/documents/docx_part.h"
#include "data/documents/inline_text.h"

namespace kette {

/// An item of a paragraph, in order.
struct DocxItem {
  enum class Kind { text, stands, opens, closes } kind = Kind::stands;
  std::size_t begin = 0, end = 0;          ///< in the part; for text: its characters
  std::size_t tag = 0;                     ///< for text: where its <w:t> begins
  std::size_t format = 0;                  ///< of its run
  std::string bytes{};                     ///< for all but text: of the mark
  std::size_t partner = Mark::kNoPartner;  ///< among the items
};

class DocxBlock {
 public:
  /// run_goes_on: a run is open after the last item.
  DocxBlock(DocxPart& part, const std::vector<DocxItem>& items, bool run_goes_on)
      : part_(part), bytes_(part.bytes()), items_(items) {
    frame_.run_goes_on = run_goes_on;
  }

  /// Adds the block to its part, unless the paragraph has no letter.
  void add();

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  bool find_text();
  void find_ends();
  std::size_t usual_format() const;
  DocxPart::State state_of(const DocxItem& item) const;
  void read_characters(InlineText& text, std::size_t begin, std::size_t end) const;
  void push(Mark::Kind kind, std::size_t at, const std::string& bytes);
  void push_items(std::size_t until, std::size_t at);
  void end_gap(std::size_t item, std::size_t at, std::string_view bytes);
  bool set_partners();

  DocxPart& part_;
  std::string_view bytes_;
  const std::vector<DocxItem>& items_;
  DocxPart::Frame frame_;
  // The items with the first and the last non-white-space character, and their places.
  std::size_t first_ = 0, last_ = 0, solid_begin_ = 0, solid_end_ = 0;
  std::size_t begin_ = 0, end_ = 0;  // the items that the block begins and ends with
  std::size_t next_ = 0;
  DocxPart::State state_ = DocxPart::State::text;
  std::size_t format_ = 0, wanted_ = 0;
  std::size_t open_format_ = kNone;  // the mark
  std::vector<Mark> marks_;
  std::unordered_map<std::size_t, std::size_t> mark_of_;  // an item
};

}  // namespace kette
