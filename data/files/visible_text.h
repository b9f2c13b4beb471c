// Makes names and texts from others safe for a terminal, which would obey their control characters.
#pragma once

#include <string>
#include <string_view>

namespace kette {

/// Replaces control characters and bytes that are not UTF-8 by \x1b and the like; keeps line ends
/// and tabs.
std::string visible(std::string_view text);

}  // namespace kette
