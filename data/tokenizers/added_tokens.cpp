#include "data/tokenizers/added_tokens.h"

#include <algorithm>
#include <charconv>

#include "data/files/json_text.h"
#include "data/files/text_file.h"
#include "tensor/error.h"

namespace kette {
namespace {

namespace fs = std::filesystem;
using SortedJson = nlohmann::json;

constexpr const char* kTokenizerConfig = "tokenizer_config.json";
constexpr const char* kTokensMap = "special_tokens_map.json";

/// An empty object if there is no such file.
SortedJson object_in(const fs::path& file) {
  if (!fs::exists(file)) return SortedJson::object();
  SortedJson json = parse_json<SortedJson>(read_text(file), file.string());
  KETTE_CHECK(json.is_object(), file.string(), ": expected a JSON object, given something else");
  return json;
}

/// The object or list at a key, or an empty one.
SortedJson part_of(const SortedJson& json, const char* key) {
  return json.contains(key) && json[key].is_structured() ? json[key] : SortedJson::object();
}

class AddedTokenList {
 public:
  explicit AddedTokenList(std::string file) : file_(std::move(file)) {}

  void add(const SortedJson& content, const SortedJson& id) {
    KETTE_CHECK(content.is_string() && !content.get_ref<const std::string&>().empty(), file_,
                ": expected a text for each added token, given ", content.dump());
    const bool is_id = id.is_number_unsigned() && id.get<std::uint64_t>() < INT32_MAX;
    KETTE_CHECK(is_id, file_, ": expected an id for the added token ", content.dump(), ", given ",
                id.dump());
    tokens.push_back({content.get<std::string>(), id.get<std::int32_t>(), file_});
  }
  /// Adds a token whose entry has settings for matching.
  void add_described(const SortedJson& token, const SortedJson& id) {
    KETTE_CHECK(token.is_object() && token.contains("content"), file_,
                ": expected an added token with its \"content\", given ", token.dump());
    add(token["content"], id);
    for (const char* key : {"lstrip", "rstrip", "single_word"}) {
      const bool is_plain = !token.contains(key) || token[key] == false;
      KETTE_CHECK(is_plain, file_, ": expected false for \"", key, "\" of the added token ",
                  token["content"].dump(), ", for Kette finds it wherever it stands, given ",
                  token[key].dump());
    }
  }

  std::vector<AddedToken> tokens;

 private:
  std::string file_;
};

std::vector<AddedToken> in_tokens_file(const fs::path& file) {
  AddedTokenList list(file.string());
  const SortedJson json = object_in(file);
  for (const auto& [content, id] : json.items()) list.add(SortedJson(content), id);
  return std::move(list.tokens);
}

std::vector<AddedToken> in_config(const fs::path& file) {
  AddedTokenList list(file.string());
  const SortedJson decoder = part_of(object_in(file), "added_tokens_decoder");
  for (const auto& [key, token] : decoder.items()) {
    std::uint32_t id = 0;
    const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), id);
    const bool is_id = error == std::errc() && end == key.data() + key.size();
    list.add_described(token, is_id ? SortedJson(id) : SortedJson(key));
  }
  return std::move(list.tokens);
}

std::vector<AddedToken> in_tokenizer_json(const fs::path& file) {
  AddedTokenList list(file.string());
  const SortedJson tokens = part_of(object_in(file), "added_tokens");
  for (const SortedJson& token : tokens) {
    const bool has_id = token.is_object() && token.contains("id");
    list.add_described(token, has_id ? token["id"] : SortedJson());
  }
  return std::move(list.tokens);
}

void append_named(const std::string& file, const std::string& role, const SortedJson& value,
                  std::vector<NamedToken>& named) {
  if (value.is_array()) {
    for (const SortedJson& one : value) append_named(file, role, one, named);
    return;
  }
  const bool has_settings = value.is_object() && value.contains("content");
  const SortedJson& content = has_settings ? value["content"] : value;
  if (content.is_string()) named.push_back({role, content.get<std::string>(), file});
}

}  // namespace

std::vector<AddedToken> read_added_tokens(const fs::path& folder) {
  std::vector<AddedToken> all;
  for (const std::vector<AddedToken>& some :
       {in_tokenizer_json(folder / kTokenizerJson), in_tokens_file(folder / kAddedTokensFile),
        in_config(folder / kTokenizerConfig)}) {
    all.insert(all.end(), some.begin(), some.end());
  }
  const auto by = [&all](auto key) {
    std::stable_sort(all.begin(), all.end(),
                     [&](const AddedToken& a, const AddedToken& b) { return key(a) < key(b); });
  };
  const auto check_neighbours = [&all](auto key) {
    for (std::size_t i = 1; i < all.size(); ++i) {
      const AddedToken &one = all[i - 1], &other = all[i];
      KETTE_CHECK(key(one) != key(other) || one == other, other.file, ": expected ", one.content,
                  " with the id ", one.id, ", as in ", one.file, ", given ", other.content,
                  " with the id ", other.id);
    }
  };
  const auto content = [](const AddedToken& token) -> const std::string& { return token.content; };
  const auto id = [](const AddedToken& token) { return token.id; };
  by(content);
  check_neighbours(content);
  by(id);
  check_neighbours(id);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

std::string added_tokens_json(const std::vector<AddedToken>& tokens) {
  SortedJson json = SortedJson::object();
  for (const AddedToken& token : tokens) json[token.content] = token.id;
  return json.dump() + "\n";
}

std::vector<NamedToken> read_named_tokens(const fs::path& folder) {
  std::vector<NamedToken> named;
  for (const char* name : {kTokensMap, kTokenizerConfig}) {
    const std::string file = (folder / name).string();
    const SortedJson json = object_in(file);
    for (const auto& [key, value] : json.items()) {
      const bool is_role = key.ends_with("_token") || key.ends_with("_special_tokens");
      if (is_role) append_named(file, key, value, named);
    }
  }
  return named;
}

void expect_no_added_tokens(const fs::path& folder, const char* vocabulary,
                            const std::vector<std::pair<std::string, std::int32_t>>& marks) {
  const auto of_marks = [&](const std::string& content) {
    return std::find_if(marks.begin(), marks.end(),
                        [&](const auto& mark) { return mark.first == content; });
  };
  const auto refuse = [&](const std::string& file, const std::string& content) {
    fail(
        file, ": expected no tokens beside those of ", vocabulary, ", given ", content,
        ", which this kind of tokenizer finds in no text (take the model as it was before the token was added)");
  };
  for (const AddedToken& token : read_added_tokens(folder)) {
    const auto mark = of_marks(token.content);
    if (mark == marks.end()) refuse(token.file, token.content);
    KETTE_CHECK(mark->second == token.id, token.file, ": expected the id ", mark->second, ", as ",
                vocabulary, " has, for ", token.content, ", given ", token.id);
  }
  for (const NamedToken& token : read_named_tokens(folder)) {
    if (of_marks(token.content) == marks.end()) {
      refuse(token.file + ": " + token.role, token.content);
    }
  }
}

}  // namespace kette
