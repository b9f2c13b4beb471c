#include "data/metrics/score_hints.h"

#include <algorithm>

#include "data/files/unicode.h"
#include "data/files/utf8.h"

namespace kette {
namespace {

bool ends_in_stop_apart(std::string_view line) {
  while (!line.empty() && (line.back() == ' ' || line.back() == '\n')) line.remove_suffix(1);
  return line.ends_with(" .");
}

bool has_no_text(std::string_view line) {
  if (line.data() == kNoReference.data()) return false;  // left out on purpose
  return first_invalid_utf8(line) == std::string_view::npos && split(decode_utf8(line)).empty();
}

/// SentencePiece's U+2047, and the name of the piece.
bool has_unknown_piece(std::string_view line) {
  return line.find("\xE2\x81\x87") != std::string_view::npos ||
         line.find("<unk>") != std::string_view::npos;
}

std::string counted(std::ptrdiff_t count, const std::string& things) {
  return std::to_string(count) + " " + things;
}

/// "100 translations and 100 lines of reference 2"; empty if none has that many.
std::string tokenised_lines(const ScoreLines& translations,
                            const std::vector<ScoreLines>& references,
                            const std::string& of_translations) {
  std::string all;
  const auto add = [&](const ScoreLines& lines, const std::string& name) {
    const auto count = std::count_if(lines.begin(), lines.end(), ends_in_stop_apart);
    if (count >= kTokenisedLines) all += (all.empty() ? "" : " and ") + counted(count, name);
  };
  add(translations, of_translations);
  for (std::size_t i = 0; i < references.size(); ++i) {
    add(references[i],
        references.size() == 1 ? "references" : "lines of reference " + std::to_string(i + 1));
  }
  return all;
}

}  // namespace

std::vector<std::string> score_hints(const ScoreLines& translations,
                                     const std::vector<ScoreLines>& references,
                                     bool words_are_set_apart, const std::string& of_translations) {
  std::vector<std::string> hints;
  const std::string tokenised =
      words_are_set_apart ? tokenised_lines(translations, references, of_translations) : "";
  if (!tokenised.empty()) {
    hints.push_back(
        tokenised +
        " end in a full stop that stands apart: tokenised text is scored as if it were raw "
        "(detokenise it, or let the tokenizer none take it as it is)");
  }
  for (std::size_t i = 0; i < references.size(); ++i) {
    const ScoreLines& lines = references[i];
    const auto empty = std::count_if(lines.begin(), lines.end(), has_no_text);
    if (empty == 0) continue;
    const auto first = std::find_if(lines.begin(), lines.end(), has_no_text) - lines.begin();
    hints.push_back("reference " + (references.size() == 1 ? "" : std::to_string(i + 1) + " ") +
                    "is empty in " + counted(empty, empty == 1 ? "line" : "lines") + ", first in " +
                    std::to_string(first + 1) + ": there it counts as a reference of no words");
  }
  const auto unknown = std::count_if(translations.begin(), translations.end(), has_unknown_piece);
  if (unknown > 0) {
    hints.push_back(counted(unknown, of_translations) +
                    " with an unknown piece (U+2047 or <unk>), which matches no reference");
  }
  return hints;
}

}  // namespace kette
