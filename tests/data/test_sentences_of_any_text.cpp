// Sentences of text that nobody wrote by hand: random, hostile, and the lines of a corpus joined.
#include <doctest/doctest.h>

#include <algorithm>
#include <ctime>
#include <string>
#include <vector>

#include "data/files/unicode.h"
#include "data/sentences/sentence_splitter.h"
#include "tensor/random.h"
#include "tests/support.h"

namespace kette {
namespace {

/// What is between sentences and around them; something else than white space where they do not rise.
std::string gaps(const std::string& text, const std::vector<Sentence>& sentences) {
  std::string between;
  std::size_t at = 0;
  for (const Sentence& sentence : sentences) {
    if (at > sentence.begin || sentence.begin >= sentence.end) return "not in order";
    between += text.substr(at, sentence.begin - at);
    at = sentence.end;
  }
  return at <= text.size() ? between + text.substr(at) : "beyond the text";
}

bool is_blank(const std::string& text) {
  const std::u32string characters = decode_utf8(text);
  return std::all_of(characters.begin(), characters.end(), is_white_space);
}

/// Pieces that rules look at, in any order.
std::string random_text(Random& random) {
  static const std::vector<std::string> pieces = {
      " ",       " ",      " ",      " ",      "\n",     "\n\n",       "\r\n",   ".",  ".",
      "...",     "!",      "?",      "\u2026", "\u3002", "(",          ")",      "[",  "]",
      "\"",      "\u201E", "\u201C", "\u201D", "\u00AB", "\u00BB",     "'",      "-",  "\u2014",
      "\u2022",  "The",    "the",    "Dr.",    "z. B.",  "M.",         "3.",     "3",  "1)",
      "2)",      "a",      "B",      "U.S.",   "XIV.",   "\U0001F600", "\u00A0", ":)", "\u672C",
      "e\u0301", "@",      ",",      ";",      "und",    "and"};
  std::string text;
  for (std::int64_t i = random.below(40); i >= 0; --i) {
    text += pieces[static_cast<std::size_t>(random.below(std::ssize(pieces)))];
  }
  return text;
}

TEST_CASE("sentences of random text hold all but white space, in order, and so do parts") {
  Random random(5);
  for (int i = 0; i < 3000; ++i) {
    const std::string text = random_text(random);
    CAPTURE(text);
    for (const std::string& language : SentenceSplitter::languages()) {
      const SentenceSplitter splitter(language);
      for (const LineBreaks breaks : {LineBreaks::end, LineBreaks::join}) {
        CHECK(is_blank(gaps(text, splitter.split(text, breaks))));
      }
      const auto bytes = [](std::string_view piece) { return piece.size(); };
      const std::vector<Sentence> parts = splitter.parts(text, 8, bytes);
      CHECK(is_blank(gaps(text, parts)));
      for (const Sentence& part : parts) CHECK(part.end - part.begin <= 8);
    }
  }
}

/// Of this process, which others on the machine do not lengthen.
double processor_seconds() {
  return static_cast<double>(std::clock()) / static_cast<double>(CLOCKS_PER_SEC);
}

double seconds_of(const std::string& text, const SentenceSplitter& splitter) {
  const double start = processor_seconds();
  CHECK(is_blank(gaps(text, splitter.split(text, LineBreaks::join))));
  splitter.split(text, LineBreaks::end);
  return processor_seconds() - start;
}

TEST_CASE("sentences: no text takes more than linear time") {
  const std::vector<std::string> patterns = {
      "a",   ".",           "\"",   "(",       ")",       "\u00AB", "\u201E", "\u2026", "\u3002",
      "-",   "\u2022",      "1",    " ",       "\n",      "A. ",    "Dr. ",   "Etc. ",  "z. B. ",
      "3. ", "\" ",         "( ",   "\u00AB ", "\u201E ", ". ",     "... ",   "- ",     "\u2022 ",
      "2) ", "X",           "(A. ", "\"A.\" ", "A.\n",    "[1]",    "[1] ",   "a.\n\n", "(!) ",
      ":) ", "\U0001F600 ", "A.[1", "A. - ",   "A. \" ",  "*"};
  constexpr std::size_t kBytes = std::size_t{1} << 17;
  double slowest = 0;
  for (const std::string& language : SentenceSplitter::languages()) {
    const SentenceSplitter splitter(language);
    for (const std::string& pattern : patterns) {
      // What comes first stays the first word of a sentence, or the one before, for all that follows.
      for (const char* start : {"", "1) ", "\u2022 ", "\u2014 ", "(", "\"", "A. "}) {
        if (*start != 0 && language != "de") continue;
        std::string text = start;
        while (text.size() < kBytes) text += pattern;
        const double seconds = seconds_of(text, splitter);
        CAPTURE(language);
        CAPTURE(pattern);
        CAPTURE(start);
        CHECK(seconds < 2);  // quadratic: minutes
        slowest = std::max(slowest, seconds);
      }
      if (language != "de") continue;
      std::string giant;
      while (giant.size() < 2 * kBytes) giant += pattern;
      std::string text = giant;  // one giant beginning, and many words that it might be asked about
      while (text.size() < 4 * kBytes) text += " A. \u2014 I. (b) 2) D";
      CHECK(seconds_of(text, splitter) < 4);
    }
  }
  MESSAGE("the slowest 128 KiB: " << 1e3 * slowest << " ms");
}

TEST_CASE("sentences too long: no word or text takes much more than linear time") {
  const SentenceSplitter splitter("en");
  const auto bytes = [](std::string_view piece) { return piece.size(); };
  std::string growing;
  for (std::size_t size = 1; size < 100'000; size *= 2) growing += std::string(size, 'x') + " ";
  for (const std::string& text : {std::string(200'000, 'x'), std::string(200'000, ';'), growing}) {
    const double start = processor_seconds();
    const std::vector<Sentence> parts = splitter.parts(text, 10, bytes);
    CHECK(is_blank(gaps(text, parts)));
    CHECK(
        std::all_of(parts.begin(), parts.end(), [](Sentence p) { return p.end - p.begin <= 10; }));
    CHECK(processor_seconds() - start < 4);
  }
}

TEST_CASE("sentences: the lines of a corpus are found again once they are joined") {
  const auto data = testing::shared_data();
  if (!data || !std::filesystem::exists(*data / "tatoeba-en-de" / "valid.en")) {
    MESSAGE("skipped: no shared data");
    return;
  }
  for (const std::string language : {"en", "de"}) {
    for (const std::string set : {"valid.", "test."}) {
      std::vector<std::string> lines;
      std::istringstream file(testing::read_file(*data / "tatoeba-en-de" / (set + language)));
      for (std::string line; std::getline(file, line);) lines.push_back(line);
      Random random(1);
      const SentenceSplitter splitter(language);
      double right = 0, found = 0, wanted = 0;
      for (std::size_t at = 0; at < lines.size();) {
        std::string text;
        std::vector<std::size_t> ends;
        for (std::int64_t count = 2 + random.below(5); count > 0 && at < lines.size(); --count) {
          text += (text.empty() ? "" : " ") + lines[at++];
          ends.push_back(text.size());
        }
        const std::vector<Sentence> sentences = splitter.split(text);
        for (const Sentence& one : sentences) {
          right += one.end < text.size() && std::count(ends.begin(), ends.end(), one.end) > 0;
        }
        found += static_cast<double>(sentences.size()) - 1;
        wanted += static_cast<double>(ends.size()) - 1;
      }
      CAPTURE(language);
      CAPTURE(set);
      CHECK(2 * right / (found + wanted) >= 0.985);
    }
  }
}

}  // namespace
}  // namespace kette
