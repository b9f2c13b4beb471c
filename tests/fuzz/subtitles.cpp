// Subtitles come back byte for byte, as SRT and as WebVTT.
#include "data/documents/subtitle_document.h"
#include "tests/fuzz/document_uses.h"
#include "tests/fuzz/targets.h"

namespace kette::fuzz {
namespace {

std::vector<std::string> seeds() {
  return {
      "1\n00:00:01,000 --> 00:00:02,500\n{\\an8}<i>The first line\nof a cue</i>\n\n2\n00:00:03,000 --> 00:00:04,000\nand "
      "more.\n\n3\n00:00:05,000 --> 00:00:06,000\n- Hi.\n- <b>Hello!</b>\n",
      "WEBVTT\n\nNOTE x\n\nSTYLE\n::cue {}\n\nname\n00:01.000 --> 00:02.000 align:start\n<v Ann>Fish &amp; "
      "<c.x>chips</c>,\n\n00:02.000 --> 00:03.000\n<00:02.500>please.\n"};
}

void read(std::string_view input) {
  const bool is_vtt = input.starts_with("WEBVTT") || input.starts_with("\xEF\xBB\xBFWEBVTT");
  use(*(is_vtt ? read_vtt : read_srt)(std::string(input), "fuzz"), input);
}

}  // namespace

const Target subtitles = {"subtitles", seeds, read};

}  // namespace kette::fuzz
