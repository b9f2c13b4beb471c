// JSON: objects that keep the order of their keys, and how they are read from a file.
#pragma once

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "tensor/error.h"

namespace kette {

using Json = nlohmann::ordered_json;

/// How deep a text nests, if it is JSON.
inline int nesting_of_json(std::string_view text) {
  int depth = 0, deepest = 0;
  bool in_string = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (in_string) {
      if (c == '\\') ++at;
      in_string = c != '"';
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      deepest = std::max(deepest, ++depth);
    } else if (c == '}' || c == ']') {
      --depth;
    }
  }
  return deepest;
}

/// Discarded, as nlohmann says, when the text is no JSON; origin stands in the error when it nests
/// too deep. Nested to a depth that no file of ours has, a value could not be shown in an error:
/// nlohmann's writer calls itself for each level, until the stack ends. Kind: Json, or
/// nlohmann::json for objects of very many keys. Its parser is given no callback to watch the depth with: with one it
/// walks all that an object holds wherever one in it ends.
template <class Kind = Json>
Kind parse_json(const std::string& text, const std::string& origin) {
  constexpr int kDeepest = 16;
  KETTE_CHECK(nesting_of_json(text) <= kDeepest, origin, ": expected JSON that nests at most ",
              kDeepest, " deep, given deeper levels");
  return Kind::parse(text, nullptr, /*allow_exceptions=*/false);
}

/// The list of strings at a key of an object; name stands in errors.
inline std::vector<std::string> strings_in(const Json& json, const char* key,
                                           const std::string& name) {
  KETTE_CHECK(json.is_object() && json.contains(key) && json.at(key).is_array(), name,
              ": expected a JSON object with a list \"", key, "\", given none");
  std::vector<std::string> strings;
  for (const Json& entry : json.at(key)) {
    KETTE_CHECK(entry.is_string(), name, ": expected strings in \"", key, "\", given ",
                entry.dump());
    strings.push_back(entry.get<std::string>());
  }
  return strings;
}

}  // namespace kette
