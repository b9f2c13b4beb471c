// JSON: objects that keep the order of their keys, and how they are read from a file.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "data/files/json_fwd.h"
#include "tensor/error.h"

namespace kette {

/// How deep a text nests, if it is JSON.
int nesting_of_json(std::string_view text);

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
std::vector<std::string> strings_in(const Json& json, const char* key, const std::string& name);

}  // namespace kette
