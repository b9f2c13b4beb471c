// Tokens that were added to a vocabulary later, as in Hugging Face's tokenizers. They have their
// own ids and are matched literally before a text is cut into pieces. They are listed in
// added_tokens.json ({"<|user|>": 280}), in "added_tokens_decoder" of tokenizer_config.json
// ({"280": {"content": "<|user|>", ...}}) and in "added_tokens" of tokenizer.json;
// special_tokens_map.json and tokenizer_config.json say the role of some of them ("eos_token").
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
  std::string file;  ///< that lists it

  friend bool operator==(const AddedToken& a, const AddedToken& b) {
    return a.content == b.content && a.id == b.id;
  }
};

/// The tokens in all files of a folder, by id, each once. A token with two ids, an id with two
/// tokens, and a token that strips blanks around it or matches only whole words are Errors that
/// name it.
std::vector<AddedToken> read_added_tokens(const std::filesystem::path& folder);
/// The content of kAddedTokensFile.
std::string added_tokens_json(const std::vector<AddedToken>& tokens);

/// A role from a file, "eos_token", and its token.
struct NamedToken {
  std::string role, content, file;
};
std::vector<NamedToken> read_named_tokens(const std::filesystem::path& folder);

/// For tokenizers that do not match added tokens: throws if a folder adds any token except the
/// marks, or gives a mark another id. vocabulary: its file.
void expect_no_added_tokens(const std::filesystem::path& folder, const char* vocabulary,
                            const std::vector<std::pair<std::string, std::int32_t>>& marks);

}  // namespace kette
