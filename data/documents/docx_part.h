// One XML part of a DOCX: its paragraphs as blocks. A block's marks have as bytes what they are, free of the runs they
// stood in: the properties of a run's format, the tag of a link, a tab. Where a translation has the same marks at one
// place as the source, the source's own bytes are written; elsewhere runs are closed and opened as the marks need it.
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

  enum class State { outside, run, text };  ///< of what is open: no run, a run, its text, too
  /// What stands between two pieces of a paragraph's text.
  struct Gap {
    std::string key{}, bytes{};
    State state = State::text;  // behind it, and the format of the run
    std::size_t format = 0;
    bool stays = false;  // within one text: a comment
  };
  /// How the bytes begin and end that a block takes, and what is within them.
  struct Frame {
    State begin = State::text, end = State::text;
    std::string prefix{};  // up to the first character, where it begins in a text
    std::size_t first_format = 0, usual_format = 0;
    std::vector<Gap> gaps{};
  };

  /// Of a gap: two of one key can stand for each other.
  static std::string key(State state, std::size_t format, const Mark* marks, std::size_t count,
                         std::size_t wanted);
  /// The number of a run's properties.
  std::size_t format_of(const std::string& properties);

  std::vector<Frame> frames_;
  std::string w_;                          // the prefix of WordprocessingML, with its colon
  std::unordered_set<std::string> outer_;  // names of elements that stand between runs
  std::vector<std::string> formats_;       // by number; the first is none
  std::unordered_map<std::string, std::size_t> format_numbers_;
  std::size_t mark_bytes_ = 0;  // of all blocks
};

}  // namespace kette
