// Parts of subtitle files: times, tags, and how the text of a cue begins and ends.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kette {

struct CueTimes {
  std::int64_t begin = 0, end = 0;  ///< in milliseconds
};
/// "00:00:01,000 --> 00:00:02,500" with settings behind it; hours may be missing, and a point may be the comma.
std::optional<CueTimes> cue_times(std::string_view line);

struct SubtitleTag {
  std::size_t end = 0;  ///< 0: none
  bool opens = false, closes = false;
  std::string name{};
};
/// <i>, </c>, <v Name>, <00:01.000>, {\an8}, {y:i} at a place.
SubtitleTag subtitle_tag(std::string_view line, std::size_t at);

/// Where the text behind the hyphen of somebody who speaks begins; 0: nobody begins to speak.
std::size_t speech_begin(std::string_view line);

/// A sentence ends with this line; it goes on at least after a comma; a line goes on with one: it begins in a small
/// letter or with dots. Tags do not matter.
bool ends_sentence(std::string_view line);
bool ends_in_comma(std::string_view line);
bool goes_on(std::string_view line);

}  // namespace kette
