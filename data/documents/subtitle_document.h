// Subtitles: SRT, and WebVTT (W3C). The text of a cue is a block, with its lines joined. A sentence
// over several cues is one block, with a break at each border of cues. It continues if a cue ends
// without an end mark, the next cue begins within two seconds, and that begins with a lower-case
// letter or dots, or follows a comma; not if words at the border have tags of their own, or at
// another voice. Tags around a cue stay around it. Each speaker ("- Yes. - No.") is a block, without the hyphen.
// Numbers, times, settings, notes, styles and regions are unchanged.
#pragma once

#include <memory>
#include <string>

#include "data/documents/document.h"

namespace kette {

/// name: for errors: bytes that are not text, a malformed cue, bad times or an end before the
/// begin. Numbers may be anything, or missing.
std::unique_ptr<Document> read_srt(std::string bytes, const std::string& name);
std::unique_ptr<Document> read_vtt(std::string bytes, const std::string& name);

}  // namespace kette
