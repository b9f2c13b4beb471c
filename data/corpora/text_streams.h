// What is given as text, as ids: text, files of tokens (data/corpora/token_file.h) and folders of them
// (data/corpora/prepared_tokens.h), also one beside the other.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <vector>

#include "data/corpora/text_documents.h"
#include "data/corpora/token_stream.h"
#include "data/tokenizers/tokenizer.h"

namespace kette {

/// Whether it is a file of tokens or a folder, and no text.
bool are_tokens(const std::filesystem::path& text);

/// The tokenizer of the first folder of tokens among them; undefined: there is none.
SharedTokenizer tokenizer_of(const std::vector<std::filesystem::path>& texts);

/// The ids of files of text; number: of the call, from 0 on.
using EncodeText =
    std::function<TokenFile(const std::vector<std::filesystem::path>& files, std::size_t number)>;

/// Each of them, in their order. Where they are not to be told apart, they may come as fewer that are longer: texts that no
/// tokens stand beside are encoded as one.
std::vector<TokenStream> text_streams(const std::vector<std::filesystem::path>& texts,
                                      DocumentKind documents, const Tokenizer& tokenizer,
                                      bool apart, const EncodeText& encode);

}  // namespace kette
