// Parts of subtitle files: times, tags, and how the text of a cue begins and ends.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "data/documents/source_lines.h"

namespace kette {

struct CueTimes {
  std::int64_t begin = 0, end = 0;  ///< in milliseconds
};
/// "00:00:01,000 --> 00:00:02,500" with settings after it; hours may be missing, and a point may
/// replace the comma.
std::optional<CueTimes> cue_times(std::string_view line);

struct SubtitleTag {
  std::size_t end = 0;  ///< 0: none
  bool opens = false, closes = false;
  std::string name{};
};
/// <i>, </c>, <v Name>, <00:01.000>, {\an8}, {y:i} at a place.
SubtitleTag subtitle_tag(std::string_view line, std::size_t at);

/// A cue without the tags and white space around its text. Tags at its ends that pair with one
/// within stay; if a tag has no partner, all do.
struct CueText {
  SourceRange text{};
  std::string_view voice{};                   ///< the tag <v Name> before it; empty: none
  bool begins_bare = true, ends_bare = true;  ///< no tag at this end is part of the text
};
CueText cue_text(std::string_view bytes, SourceRange cue);

/// Where the text after a speaker's hyphen begins; 0: no speaker begins.
std::size_t speech_begin(std::string_view line);

/// Whether a sentence ends with this line; whether the line ends in a comma; whether it continues a
/// sentence: it begins with a lower-case letter or dots. Tags are ignored.
bool ends_sentence(std::string_view line);
bool ends_in_comma(std::string_view line);
bool goes_on(std::string_view line);

}  // namespace kette
