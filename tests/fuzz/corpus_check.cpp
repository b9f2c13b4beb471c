// Two files of any bytes, equally long or not, looked at as a corpus with itself for validation: an error, or a report
// whose counts fit, and each piece that is told of stands in its line.
#include "data/checks/corpus_check.h"

#include "data/checks/line_facts.h"
#include "data/files/utf8.h"
#include "tests/fuzz/targets.h"

namespace kette::fuzz {
namespace {

std::vector<std::string> seeds() {
  return {joined({"The dog is here.\nYes .\n<b>x</b> &amp; y\n", "Der Hund ist da.\nJa .\n\n"}),
          joined({"sch\xC3\x83\xC2\xB6n\n\xEF\xBF\xBD\na\xC2\x85\n",
                  "\xF6\n<!-- a --> <a b=\"c\">\n\xC2\xA0\n"}),
          joined({"a\na\nLe chat est dans la maison.\n", "b\nb\nThe cat is in the house.\n"})};
}

bool is_within(std::string_view part, std::string_view line) {
  return part.empty() ||
         (part.data() >= line.data() && part.data() + part.size() <= line.data() + line.size());
}

void look_at_line(std::string_view line) {
  for (const std::string_view found : {markup_in(line), broken_in(line), tokenised_in(line)}) {
    expect(is_within(found, line), "a piece of the line");
    expect(first_invalid_utf8(found) == std::string_view::npos, "whole characters");
  }
  const LineFacts facts = facts_of(line);
  expect(facts.characters >= 0 && facts.characters <= std::ssize(line), "characters of the line");
}

void read(std::string_view input) {
  const std::vector<std::string_view> files = parts(input, 2);
  look_at_line(as_line(files[0]));
  const ParallelText text{put("s.en", files[0]), put("t.de", files[1])};
  const CorpusReport report = check_corpus({{text}, {text}, {}}, {nullptr, 3});
  expect(report.texts.size() == 2 && report.texts[0].pairs == report.texts[1].pairs,
         "a report of both");
  for (const TextReport& of_text : report.texts) {
    for (const OddPairs& finding : of_text.findings) {
      expect(finding.pairs <= of_text.pairs, "no more findings than pairs");
      expect(std::ssize(finding.samples) == std::min<std::int64_t>(3, finding.pairs), "samples");
      for (const PairSample& sample : finding.samples) {
        expect(sample.line >= 1 && sample.line <= of_text.pairs, "a line of the text");
        expect(first_invalid_utf8(sample.source + sample.target) == std::string_view::npos,
               "samples in UTF-8");
      }
    }
  }
  must("a report as text", [&] { warning_lines(report); });
}

}  // namespace

const Target corpus_check = {"corpus_check", seeds, read};

}  // namespace kette::fuzz
