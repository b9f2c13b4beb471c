// A vocabulary as JSON: a flat object of tokens and their ids, from 0 on without gaps, as in the
// vocab.json of GPT-2 and of Marian's models.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "data/tokenizers/token_table.h"

namespace kette {

/// The tokens as written. Invalid ids, or a token or id that occurs twice, are an Error with the
/// file and the entry.
TokenTable read_vocabulary_json(const std::filesystem::path& file);

/// The content of such a file. tokens: by id, as written.
std::string vocabulary_json(const std::vector<std::string>& tokens);

}  // namespace kette
