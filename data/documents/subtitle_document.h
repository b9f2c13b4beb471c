// Subtitles: SRT, and WebVTT (W3C). What is said in a cue is a block, its lines joined. A sentence that goes over several
// cues is one block, in which a break has the border of the cues: it goes on where a cue ends in no end mark, the next
// one begins within two seconds, and in a small letter, with dots, or after a comma. Each who speaks ("- Yes. - No.")
// has a block without the hyphen. Numbers, times, settings, notes, styles and regions stay.
#pragma once

#include <memory>
#include <string>

#include "data/documents/document.h"

namespace kette {

/// The name stands in errors: bytes that are no text, what is no cue, times that are none or end before they begin.
/// Numbers may be any, or missing.
std::unique_ptr<Document> read_srt(std::string bytes, const std::string& name);
std::unique_ptr<Document> read_vtt(std::string bytes, const std::string& name);

}  // namespace kette
