// JSON from a file. Nested to a depth that no file of ours has, a value could not be shown in an
// error: nlohmann's writer calls itself for each level, until the stack ends.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "tensor/error.h"

namespace kette {

/// Discarded, as nlohmann says, when the text is no JSON; origin stands in the error when it nests
/// too deep. Json: nlohmann::json or ordered_json.
template <class Json>
Json parse_json(const std::string& text, const std::string& origin) {
  constexpr int kDeepest = 16;
  const auto check = [&](int depth, typename Json::parse_event_t, Json&) {
    KETTE_CHECK(depth <= kDeepest, origin, ": expected JSON that nests at most ", kDeepest,
                " deep, given deeper levels");
    return true;
  };
  return Json::parse(text, check, /*allow_exceptions=*/false);
}

}  // namespace kette
