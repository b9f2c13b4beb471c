// Text files to one token file (data/corpora/token_file.h): every document is encoded and followed
// by the tokenizer's end_of_text. Several pieces are encoded at once, in bounded memory; the ids do
// not depend on the number of threads.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <vector>

#include "data/corpora/text_documents.h"
#include "data/corpora/token_file.h"
#include "data/tokenizers/tokenizer.h"

namespace kette {

struct TokenizeReport {
  std::int64_t documents = 0;
  std::int64_t tokens = 0;  ///< the ends of text counted
  std::int64_t bytes = 0;   ///< of the documents' text
  /// What the texts spell of marks (data/tokenizers/marks_in_text.h), of <|endoftext|> in any case, for people; "": none.
  std::string marks{};
};

/// A sentence about the marks, if there are any.
std::string marks_note(const TokenizeReport& report);

/// Told every few MiB what is done so far, and which share of all files that is.
using TokenizeProgress = std::function<void(const TokenizeReport&, double share)>;

TokenizeReport tokenize_files(const std::vector<std::filesystem::path>& files,
                              const Tokenizer& tokenizer, DocumentKind kind,
                              const std::filesystem::path& out,
                              const TokenizeProgress& progress = {},
                              const std::string& made_of = "");
/// Whether there is such a file, which can be read, and it says so of itself.
bool were_made_of(const std::filesystem::path& path, const std::string& made_of);

/// Whether what was given as text is one file of tokens instead. One beside other files is an Error.
bool are_tokens(const std::vector<std::filesystem::path>& files, DocumentKind documents);
/// Opens a file of tokens, which must be those of the tokenizer.
TokenFile open_tokens(const std::filesystem::path& path, const Tokenizer& tokenizer);

}  // namespace kette
