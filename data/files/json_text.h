// JSON with objects that keep the order of their keys, and functions for reading it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "data/files/json_fwd.h"
#include "tensor/error.h"

namespace kette {

/// The nesting depth of a text, if it is JSON.
int nesting_of_json(std::string_view text);

/// A "discarded" value (nlohmann's term) if the text is not JSON. origin: for the Error if it nests
/// too deep: nlohmann's writer recurses for each level, so that showing such a value in an error
/// could overflow the stack. Kind: Json, or nlohmann::json for objects with very many keys. The
/// parser gets no callback that watches the depth: with one it walks through all of an object
/// wherever an object in it ends.
template <class Kind = Json>
Kind parse_json(const std::string& text, const std::string& origin) {
  constexpr int kDeepest = 16;
  KETTE_CHECK(nesting_of_json(text) <= kDeepest, origin, ": expected JSON that nests at most ",
              kDeepest, " deep, given deeper levels");
  return Kind::parse(text, nullptr, /*allow_exceptions=*/false);
}

/// The list of strings at a key of an object. name: for errors.
std::vector<std::string> strings_in(const Json& json, const char* key, const std::string& name);

}  // namespace kette
