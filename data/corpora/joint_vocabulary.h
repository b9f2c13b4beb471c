// The vocabulary that both sides of all texts share.
#pragma once

#include <vector>

#include "data/files/line_reader.h"
#include "data/files/parallel_text.h"
#include "data/tokenizers/tokenizer.h"

namespace kette {

/// Of the targets, each once.
std::vector<std::string> languages_of(const std::vector<ParallelText>& texts);

/// A SentencePiece model of so many pieces, with a tag for each language.
SharedTokenizer joint_vocabulary(const std::vector<ParallelText>& texts, std::int64_t pieces,
                                 FaultyLines faulty = FaultyLines::refused);

}  // namespace kette
