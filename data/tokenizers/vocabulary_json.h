// A vocabulary as JSON: one flat object of tokens and their ids, from 0 on without a gap, as the
// vocab.json of GPT-2 and of Marian's models.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "data/tokenizers/token_table.h"

namespace kette {

/// The tokens as they are written. Ids that are no ids, or a token or an id that comes twice, are
/// an Error that names the file and the entry.
TokenTable read_vocabulary_json(const std::filesystem::path& file);

/// What such a file holds. tokens: by id, as they are written.
std::string vocabulary_json(const std::vector<std::string>& tokens);

}  // namespace kette
