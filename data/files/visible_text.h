// Names and texts that others chose, made fit for a terminal, which would obey the control
// characters in them.
#pragma once

#include <string>
#include <string_view>

namespace kette {

/// The text with control characters, and bytes that are no UTF-8, as \x1b and the like; ends of
/// lines and tabs stay.
std::string visible(std::string_view text);

}  // namespace kette
