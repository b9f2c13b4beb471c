// Sentences of any text: they rise, share nothing, and hold every byte that is no white space; lines alone are split as
// among others; and the parts of a long sentence hold it again.
#include <algorithm>

#include "data/files/unicode.h"
#include "data/files/utf8.h"
#include "data/sentences/sentence_splitter.h"
#include "tests/fuzz/targets.h"

namespace kette::fuzz {
namespace {

std::vector<std::string> seeds() {
  return {
      "Dr. Smith came (at 5 p.m. I think). \"Why?\" he said... It was 3.5.\n\n2) One more. 3) Last",
      "Am 3. Mai, d. h. z. B. der 2. Weltkrieg. \xE2\x80\x9E"
      "Ja!\xE2\x80\x9C Und Ludwig XIV. war da. \xE2\x80\xA2 Ein \xE2\x80\xA2 Zwei",
      "M. Dupont\xC2\xA0! \xC2\xAB Oui. \xC2\xBB Voir l'art. 5\n- un. [...]\n- deux.[1] :) Etc. Le",
      "\xE3\x81\x82\xE3\x80\x82\xE3\x81\x84\xEF\xBC\x81 . . . . \xE2\x80\xA6 \xE2\x80\x94"};
}

bool is_blank(std::string_view text) {
  for (const char32_t character : decode_utf8(text)) {
    if (!is_white_space(character)) return false;
  }
  return true;
}

void check(std::string_view text, const std::vector<Sentence>& sentences) {
  std::size_t at = 0;
  for (const Sentence& sentence : sentences) {
    expect(at <= sentence.begin && sentence.begin < sentence.end && sentence.end <= text.size(),
           "sentences that rise and hold something");
    expect(!continues_utf8(text[sentence.begin]), "a cut between characters");
    expect(is_blank(text.substr(at, sentence.begin - at)), "white space between sentences");
    const std::u32string characters = decode_utf8(sentence.of(text));
    expect(!is_white_space(characters.front()) && !is_white_space(characters.back()),
           "sentences without white space at their ends");
    at = sentence.end;
  }
  expect(is_blank(text.substr(at)), "white space behind the last sentence");
}

std::vector<Sentence> line_by_line(const SentenceSplitter& splitter, std::string_view text) {
  std::vector<Sentence> all;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    for (const Sentence& one : splitter.split(text.substr(begin, end - begin), LineBreaks::join)) {
      all.push_back({begin + one.begin, begin + one.end});
    }
    begin = end + 1;
  }
  return all;
}

/// With accents that stand for themselves behind it, as many as there are.
bool is_one_character(std::string_view text) {
  std::size_t at = utf8_length(text[0]);
  while (at < text.size() && is_nonspacing_mark(utf8_character(text, at).code_point)) {
    at += utf8_length(text[at]);
  }
  return at == text.size();
}

std::size_t bytes(std::string_view text) { return text.size(); }

void read(std::string_view input) {
  if (first_invalid_utf8(input) != std::string_view::npos) return;
  for (const std::string& language : SentenceSplitter::languages()) {
    must("text in UTF-8", [&] {
      const SentenceSplitter splitter(language);
      const std::vector<Sentence> sentences = splitter.split(input, LineBreaks::end);
      check(input, sentences);
      expect(line_by_line(splitter, input) == sentences, "lines as they are split alone");
      check(input, splitter.split(input, LineBreaks::join));
      for (const std::size_t most : {1, 7, 40}) {
        const std::vector<Sentence> parts = splitter.parts(input, most, bytes);
        check(input, parts);
        for (const Sentence& part : parts) {
          expect(part.end - part.begin <= most || is_one_character(part.of(input)),
                 "parts that are short enough");
        }
      }
    });
  }
}

}  // namespace

const Target sentences = {"sentences", seeds, read};

}  // namespace kette::fuzz
