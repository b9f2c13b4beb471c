// One XML part of a DOCX: its paragraphs as blocks. The bytes of a mark are independent of its run:
// the properties of a run's format, the tag of a link, a tab. If a translation has the same marks
// at one place as the source, the source's bytes are written; otherwise runs are closed and opened
// as needed.
#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "data/documents/document.h"

namespace kette {

class DocxPart : public DocumentOfBytes {
 public:
  DocxPart(std::string bytes, const std::string& name);
  const std::string& source() const { return bytes(); }

 protected:
  std::string escaped(std::string_view character, bool at_start) const override;
  std::string written(std::size_t index, const TextBlock& translation) const override;

 private:
  friend class DocxReader;
  friend class DocxBlock;
  friend class DocxWriter;

  enum class State { outside, run, text };  ///< what is open: nothing, a run, a run and its text
  /// The bytes between two pieces of a paragraph's text.
  struct Gap {
    std::string key{}, bytes{};
    State state = State::text;  // after it, and the format of the run
    std::size_t format = 0;
    bool stays = false;  // inside one text: a comment
  };
  /// The state at the begin and end of a block's bytes, and the gaps within.
  struct Frame {
    State begin = State::text, end = State::text;
    std::string prefix{};  // up to the first character, if it begins in a text
    std::size_t first_format = 0, usual_format = 0, last_format = 0;
    bool run_goes_on = false;  // behind the block
    std::vector<Gap> gaps{};
  };

  /// The key of a gap: gaps with equal keys are interchangeable.
  static std::string key(State state, std::size_t format, const Mark* marks, std::size_t count,
                         std::size_t wanted);
  /// The number of a run's properties.
  std::size_t format_of(const std::string& properties);

  std::vector<Frame> frames_;
  std::string w_;                          // prefix of WordprocessingML, with its colon
  std::unordered_set<std::string> outer_;  // names of elements between runs
  std::vector<std::string> formats_;       // by number; the first is empty
  std::unordered_map<std::string, std::size_t> format_numbers_;
  std::size_t mark_bytes_ = 0;  // of all blocks
};

}  // namespace kette
