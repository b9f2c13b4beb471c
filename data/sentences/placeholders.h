// Placeholders of message catalogues and templates (for data/sentences/protected_text.h).
#pragma once

#include <cstddef>
#include <string_view>

namespace kette::sentences {

/// The end of a placeholder that begins at `at`; `at` if there is none. Reads at most
/// kLongestPlaceholder bytes.
std::size_t placeholder_end(std::string_view text, std::size_t at);

inline constexpr std::size_t kLongestPlaceholder = 1024;

}  // namespace kette::sentences
