// The names of an enumeration's values in files and on command lines. One table, next to the
// enumeration:
//   template <>
//   inline constexpr auto kNamesOf<NormOrder> =
//       enum_names<NormOrder>({{NormOrder::post, "post"}, ...});
#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "tensor/error.h"
#include "tensor/suggestion.h"

namespace kette {

template <class Enum>
inline constexpr std::array<std::pair<Enum, const char*>, 0> kNamesOf{};

template <class Enum, std::size_t count>
constexpr std::array<std::pair<Enum, const char*>, count> enum_names(
    const std::pair<Enum, const char*> (&names)[count]) {
  return std::to_array(names);
}

template <class Enum>
std::vector<std::string> all_names() {
  std::vector<std::string> names;
  for (const auto& entry : kNamesOf<Enum>) names.push_back(entry.second);
  return names;
}

template <class Enum>
std::string enum_name(Enum value) {
  for (const auto& [known, name] : kNamesOf<Enum>) {
    if (known == value) return name;
  }
  fail("enum_name: expected a value of its enumeration, given ", static_cast<int>(value));
}

/// An unknown name is an Error that lists the known ones.
template <class Enum>
Enum enum_named(const std::string& text) {
  for (const auto& [value, name] : kNamesOf<Enum>) {
    if (text == name) return value;
  }
  fail("expected one of ", joined(all_names<Enum>()), ", given ", text);
}

}  // namespace kette
