// Text for terminals.
#pragma once

#include <cstdint>
#include <string>

namespace kette {

/// printf into a string.
[[gnu::format(printf, 1, 2)]] std::string text(const char* format, ...);
/// 63082496 -> "63,082,496"
std::string with_commas(std::int64_t number);

}  // namespace kette
