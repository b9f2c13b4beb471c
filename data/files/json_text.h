// JSON: objects that keep the order of their keys, and how they are read from a file.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tensor/error.h"

namespace kette {

using Json = nlohmann::ordered_json;

/// Discarded, as nlohmann says, when the text is no JSON; origin stands in the error when it nests
/// too deep. Nested to a depth that no file of ours has, a value could not be shown in an error:
/// nlohmann's writer calls itself for each level, until the stack ends. Kind: Json, or
/// nlohmann::json for objects of very many keys.
template <class Kind = Json>
Kind parse_json(const std::string& text, const std::string& origin) {
  constexpr int kDeepest = 16;
  const auto check = [&](int depth, typename Kind::parse_event_t, Kind&) {
    KETTE_CHECK(depth <= kDeepest, origin, ": expected JSON that nests at most ", kDeepest,
                " deep, given deeper levels");
    return true;
  };
  return Kind::parse(text, check, /*allow_exceptions=*/false);
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
