// Sentences in, one a line, and what becomes of them out, in the same order, a part as soon as it is done: for
// `kette translate` and `kette parse`.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "cli/common.h"
#include "data/files/line_reader.h"

namespace kette::cli {

/// No sentence that a model has positions for is nearly as long.
inline constexpr LineLimits kSentence{.line_bytes = kWholeText.line_bytes};

/// Lines that are decoded together: enough that the end of a part, where threads wait for each other, costs
/// little.
inline constexpr std::size_t kSentencesAtOnce = 4096;

/// Of a file, or of stdin where none is named.
LineReader open_sentences(const std::filesystem::path& file);

/// A file, or stdout where none is named; every part is handed to the system at once.
class Sink {
 public:
  explicit Sink(const std::filesystem::path& file);
  void write(const std::string& text);

 private:
  void check(const char* expected);

  std::string name_;
  std::ofstream file_;
};

}  // namespace kette::cli
