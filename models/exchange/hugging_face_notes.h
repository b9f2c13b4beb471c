// What a Hugging Face folder has and Kette does not import: files that are not read, and
// unsupported generation settings. Each is listed by name, so that nothing is lost silently.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "data/tokenizers/tokenizer.h"
#include "models/exchange/hugging_face_files.h"

namespace kette::hugging_face {

/// An Error if a file names a token for a row of the vocabulary that the tokenizer does not have.
void expect_ids(const std::filesystem::path& folder, const Settings& settings,
                const Tokenizer& tokenizer);
/// One line each, for people.
std::vector<std::string> notes_on(const std::filesystem::path& folder, const Tokenizer& tokenizer);

}  // namespace kette::hugging_face
