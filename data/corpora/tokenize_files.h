// Text files to one token file (data/corpora/token_file.h), in bounded memory.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "data/corpora/text_encoder.h"
#include "data/corpora/token_file.h"

namespace kette {

/// A sentence about marks in the text (TokenizeReport::marks), if there are any.
std::string marks_note(const std::string& marks);

TokenizeReport tokenize_files(const std::vector<std::filesystem::path>& files,
                              const Tokenizer& tokenizer, DocumentKind kind,
                              const std::filesystem::path& out,
                              const TokenizeProgress& progress = {},
                              const std::string& made_of = "");
/// What the ids of texts depend on.
std::string made_of(const std::vector<std::filesystem::path>& files, const Tokenizer& tokenizer,
                    DocumentKind kind);

/// What a file of tokens says of itself.
TokenFileInfo token_info(const Tokenizer& tokenizer, const TokenizeReport& report,
                         const std::string& made_of);
/// Throws unless there are documents in what was read.
void check_documents(const TokenizeReport& report, const std::vector<std::filesystem::path>& files);
/// Opens a file of tokens, which must be those of the tokenizer.
TokenFile open_tokens(const std::filesystem::path& path, const Tokenizer& tokenizer);

}  // namespace kette
