// What a folder of transformers has beside what Kette takes over: files that are not read, and settings of generation that it
// has no place for. Each is told by its name, so that nothing is lost in silence.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "data/tokenizers/tokenizer.h"

namespace kette::hugging_face {

/// One line each, for a person. Rows of a vocabulary that a file names a token for, which the tokenizer does not have,
/// are an Error.
std::vector<std::string> notes_on(const std::filesystem::path& folder, const Tokenizer& tokenizer);

}  // namespace kette::hugging_face
