#include "data/corpora/text_streams.h"

#include <algorithm>

#include "data/corpora/prepared_tokens.h"
#include "data/corpora/tokenize_files.h"
#include "tensor/error.h"

namespace kette {

namespace fs = std::filesystem;

bool are_tokens(const fs::path& text) { return fs::is_directory(text) || is_token_file(text); }

SharedTokenizer tokenizer_of(const std::vector<fs::path>& texts) {
  const auto folder = std::find_if(texts.begin(), texts.end(),
                                   [](const fs::path& text) { return fs::is_directory(text); });
  return folder == texts.end() ? nullptr : tokenizer_in(*folder);
}

std::vector<TokenStream> text_streams(const std::vector<fs::path>& texts, DocumentKind documents,
                                      const Tokenizer& tokenizer, bool apart,
                                      const EncodeText& encode) {
  const auto tokens = std::count_if(texts.begin(), texts.end(), are_tokens);
  if (tokens == 0 && !apart) return {encode(texts, 0)};
  KETTE_CHECK(documents == DocumentKind::file || tokens < std::ssize(texts), texts.front().string(),
              ": expected text, of which documents are told apart, given tokens, whose documents ",
              "were told when they were made (leave --documents ", enum_name(documents), " out)");
  std::vector<TokenStream> streams;
  std::size_t encoded = 0;
  for (const fs::path& text : texts) {
    if (!are_tokens(text)) {
      streams.emplace_back(encode({text}, encoded++));
    } else if (fs::is_directory(text)) {
      streams.push_back(prepared_tokens(text, tokenizer));
    } else {
      streams.emplace_back(open_tokens(text, tokenizer));
    }
  }
  return streams;
}

}  // namespace kette
