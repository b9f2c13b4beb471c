#include <doctest/doctest.h>

#include "data/documents/subtitle_document.h"
#include "data/documents/subtitle_lines.h"
#include "tensor/error.h"
#include "tests/data/document_cases.h"

using namespace kette;
using testing::shown;
using testing::with_text;

namespace {

using Shown = std::vector<std::string>;

std::unique_ptr<Document> srt(const std::string& bytes) { return read_srt(bytes, "a.srt"); }
std::unique_ptr<Document> vtt(const std::string& bytes) { return read_vtt(bytes, "a.vtt"); }

Shown srt_blocks(const std::string& bytes) {
  CHECK(testing::faults_of_passes(bytes, srt) == "");
  return testing::shown_blocks(*srt(bytes));
}
Shown vtt_blocks(const std::string& bytes) {
  CHECK(testing::faults_of_passes(bytes, vtt) == "");
  return testing::shown_blocks(*vtt(bytes));
}

/// Cues of a second each, one after the other.
std::string cues(const std::vector<std::string>& texts) {
  std::string all;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::string from = "00:00:0" + std::to_string(i), to = "00:00:0" + std::to_string(i + 1);
    all += std::to_string(i + 1) + "\n" + from + ",000 --> " + to + ",000\n" + texts[i] + "\n\n";
  }
  return all;
}

}  // namespace

TEST_CASE("SRT: the lines of a cue are one block; numbers, times and tags stay") {
  CHECK(
      srt_blocks(
          "1\n00:00:01,000 --> 00:00:02,500 X1:10\n{\\an8}<i>Two lines\nof text.</i>\n\n\n7\r\n0:00:03.5 --> "
          "0:00:04,1\r\n<font color=\"red\">Red</font> word.") ==
      Shown{"Two lines{\n}of text.", "{<font color=\"red\">}Red{</font>} word."});
  CHECK(
      srt_blocks(
          "00:00:01,000 --> 00:00:02,500\nNo number.\n00:00:03,000 --> 00:00:04,000\nNo blank line.\n") ==
      Shown{"No number.", "No blank line."});
  CHECK(
      srt_blocks(
          "1\n00:00:01,000 --> 00:00:02,000\n\n2\n00:00:03,000 --> 00:00:04,000\nOne.\n\nTwo.\n") ==
      Shown{"One.", "Two."});
  CHECK(srt_blocks("").empty());
}

TEST_CASE("SRT: a sentence goes over cues") {
  CHECK(srt_blocks(cues({"This is", "a sentence."})) ==
        Shown{"This is{\n\n2\n00:00:01,000 --> 00:00:02,000\n}a sentence."});
  CHECK(srt_blocks(cues({"He came,", "Peter said."})).size() == 1);
  CHECK(srt_blocks(cues({"And so...", "...it went."})).size() == 1);
  CHECK(srt_blocks(cues({"One.", "two."})).size() == 2);
  CHECK(srt_blocks(cues({"One", "Two"})).size() == 2);
  CHECK(srt_blocks(cues({"So", "- he said."})).size() == 2);
  CHECK(srt_blocks("00:00:01,000 --> 00:00:02,000\nLong\n\n00:00:05,000 --> 00:00:06,000\nago\n")
            .size() == 2);
}

TEST_CASE("subtitles: tags around a cue of a longer sentence stay in their cue") {
  const std::string border = "\n\n2\n00:00:01,000 --> 00:00:02,000\n";
  CHECK(srt_blocks(cues({"<i>This is</i>", "<i>a sentence.</i>"})) ==
        Shown{"This is{</i>" + border + "<i>}a sentence."});
  CHECK(srt_blocks(cues({"The woman\nhas", "{\\an8}<i>not seen\nthe dog.</i>"})) ==
        Shown{"The woman{\n}has{" + border + "{\\an8}<i>}not seen{\n}the dog."});
  CHECK(srt_blocks(cues({"<i>This <b>is</b> a</i>", "sentence."})) ==
        Shown{"This {<b>}is{</b>} a{</i>" + border + "}sentence."});
  CHECK(srt_blocks(cues({"This is", "{\\an8}", "a sentence."})).size() == 1);
  // Tags around words at the border could cross it.
  CHECK(srt_blocks(cues({"This is", "<i>not</i> a sentence."})) ==
        Shown{"This is", "{<i>}not{</i>} a sentence."});
  CHECK(srt_blocks(cues({"<i>This <b>is</b></i>", "a sentence."})) ==
        Shown{"This {<b>}is{</b>}", "a sentence."});
  CHECK(srt_blocks(cues({"This <i>is</i>", "a sentence."})).size() == 2);
  const std::string first = "WEBVTT\n\n00:01.000 --> 00:02.000\n",
                    second = "\n\n00:02.000 --> 00:03.000\n";
  CHECK(vtt_blocks(first + "<v Ann>This is" + second + "<v Ann>a sentence.").size() == 1);
  CHECK(vtt_blocks(first + "<v Ann>This is" + second + "<v Bob>a sentence.").size() == 2);
  CHECK(vtt_blocks(first + "This is" + second + "<v Bob>a sentence.").size() == 2);
}

TEST_CASE("SRT: each who speaks has a block") {
  CHECK(srt_blocks(cues({"- Hi.\n- <b>Hello</b> you\nthere!", "<i>-No.</i>\n\u2013 Yes."})) ==
        Shown{"Hi.", "{<b>}Hello{</b>} you{\n}there!", "No.", "Yes."});
  CHECK(srt_blocks(cues({"-5 degrees", "-- and"})) == Shown{"-5 degrees", "-- and"});
}

TEST_CASE("WebVTT: notes, styles, regions, names and settings stay") {
  CHECK(
      vtt_blocks(
          "WEBVTT title\nKind: x\n\nNOTE\nno text\n\nSTYLE\n::cue {}\n\nREGION\nid:x\n\nname\n00:01.000 --> "
          "00:02.000 align:start\n<v Ann>Fish &amp; <c.x>chips</c>.\n\n1:00:02.000 --> 1:00:03.000\nOne "
          "<00:02.500>two\n") == Shown{"Fish & {<c.x>}chips{</c>}.", "One {<00:02.500>}two"});
  const auto document = vtt("WEBVTT\n\n00:01.000 --> 00:02.000\ntext\n");
  CHECK(with_text(*document, 0, "a < b & c > d") ==
        "WEBVTT\n\n00:01.000 --> 00:02.000\na &lt; b &amp; c > d\n");
  CHECK(vtt_blocks("WEBVTT").empty());
}

TEST_CASE("subtitles: what is no cue is an error with its place") {
  CHECK_THROWS_WITH_AS(srt("hello\n"),
                       "a.srt:1:1: expected the number or times of a cue, given hello", Error);
  CHECK_THROWS_WITH_AS(
      srt("1\n00:00:02,000 --> 00:00:01,000\nx\n"),
      "a.srt:2:1: expected a cue that ends after it begins, given 00:00:02,000 --> 00:00:01,000",
      Error);
  CHECK_THROWS_WITH_AS(
      srt("1\n00:00:02,000 --> 00:61:01,000\nx\n"),
      "a.srt:2:1: expected the times of a cue, 00:00:01,000 --> 00:00:02,000, given 00:00:02,000 --> "
      "00:61:01,000",
      Error);
  CHECK_THROWS_WITH_AS(vtt("1\n"), "a.vtt:1:1: expected WEBVTT, given 1 (is it SRT?)", Error);
  CHECK_THROWS_AS(vtt("WEBVTT\n\nname\nno times\n"), Error);
}

TEST_CASE("subtitles: times") {
  CHECK(cue_times("01:02:03,004 --> 1:02:03.5")->begin == 3723004);
  CHECK(cue_times("01:02:03,004 --> 1:02:03.5")->end == 3723500);
  CHECK(cue_times("59:00 --> 60:00 x")->end == 3600000);
  for (const char* wrong :
       {"", "1 --> 2", "00:00:01,000", "00:00:01,000 -> 00:00:02,000", "0:0:0:0 --> 1:1:1:1",
        "00:00:01,0000 --> 00:00:02,000", "00:00:01,000 --> 00:00:02,000x"}) {
    CAPTURE(wrong);
    CHECK(!cue_times(wrong));
  }
}

TEST_CASE("subtitles: hostile input takes time in proportion") {
  const std::string head = "00:00:01,000 --> 00:00:02,000\n";
  for (const std::string& part :
       {std::string("<"), std::string("<i>"), std::string("{\\"), std::string("1\n"),
        std::string("a\n"), std::string("00:00:01,000 --> 00:00:02,000\na\n"), std::string("-"),
        std::string("</i>"), std::string("<a></b>")}) {
    CAPTURE(part);
    CHECK(testing::growth([&](std::size_t bytes) { srt(head + testing::repeated(part, bytes)); },
                          50'000) < 12);
  }
}
