#include "data/files/json_text.h"

#include <algorithm>

namespace kette {

int nesting_of_json(std::string_view text) {
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

std::vector<std::string> strings_in(const Json& json, const char* key, const std::string& name) {
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
