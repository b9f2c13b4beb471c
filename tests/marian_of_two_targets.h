// A translation model of two target languages as OPUS-MT has them: the Marian fixture, with the tag >>fra<< in the place
// of a piece, beside its own >>deu<<.
#pragma once

#include <filesystem>
#include <string>

#include "tests/support.h"

namespace kette::testing {

/// The folder that it makes, for `kette import`.
inline std::filesystem::path marian_of_two_targets(const std::filesystem::path& below) {
  const std::filesystem::path theirs = below / "two-targets";
  std::filesystem::copy(source_folder() / "tests/fixtures/hugging_face/marian", theirs);
  std::string vocabulary = read_file(theirs / "vocab.json");
  const std::string piece = "\"j\"";
  vocabulary.replace(vocabulary.find(piece), piece.size(), "\">>fra<<\"");
  write_file(theirs / "vocab.json", vocabulary);
  return theirs;
}

}  // namespace kette::testing
