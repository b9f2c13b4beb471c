// Tokens that were added to a vocabulary after it was made, as Hugging Face's tokenizers keep them: with ids of their own
// and found in a text as they stand, before it is cut into pieces. They are listed in added_tokens.json ({"<|user|>": 280}),
// in "added_tokens_decoder" of tokenizer_config.json ({"280": {"content": "<|user|>", ...}}) and in "added_tokens" of
// tokenizer.json; special_tokens_map.json and tokenizer_config.json say what some of them are for ("eos_token").
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace kette {

inline constexpr const char* kAddedTokensFile = "added_tokens.json";
inline constexpr const char* kTokenizerJson = "tokenizer.json";

struct AddedToken {
  std::string content;
  std::int32_t id;
  std::string file;  ///< which names it

  friend bool operator==(const AddedToken& a, const AddedToken& b) {
    return a.content == b.content && a.id == b.id;
  }
};

/// By id, each once, of all files of a folder that have any. A token with two ids, an id with two tokens, and one that
/// takes the blanks around it or whole words only, are Errors that name it.
std::vector<AddedToken> read_added_tokens(const std::filesystem::path& folder);
/// What such a file holds.
std::string added_tokens_json(const std::vector<AddedToken>& tokens);

/// What a file says a token is for, "eos_token", and that token.
struct NamedToken {
  std::string role, content, file;
};
std::vector<NamedToken> read_named_tokens(const std::filesystem::path& folder);

/// Throws if a folder adds any token but the marks, or gives one of these another id. Of tokenizers that find
/// none in a text. vocabulary: its file.
void expect_no_added_tokens(const std::filesystem::path& folder, const char* vocabulary,
                            const std::vector<std::pair<std::string, std::int32_t>>& marks);

}  // namespace kette
