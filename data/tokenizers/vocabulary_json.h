// A vocabulary as JSON: one flat object of tokens and their ids, from 0 on without a gap, as the
// vocab.json of GPT-2 and of Marian's models.
#pragma once

#include <filesystem>
#include <string>

#include "data/tokenizers/token_table.h"

namespace kette {

/// The tokens as they are written. Ids that are no ids, or a token or an id that comes twice, are
/// an Error that names the file and the entry.
TokenTable read_vocabulary_json(const std::filesystem::path& file);

}  // namespace kette
