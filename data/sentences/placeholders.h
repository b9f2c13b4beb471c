// Placeholders of message catalogues and templates; for data/sentences/protected_text.h.
#pragma once

#include <cstddef>
#include <string_view>

namespace kette::sentences {

/// Where a placeholder ends that begins at `at`; `at` where none does. Looks no further than kLongestPlaceholder bytes.
std::size_t placeholder_end(std::string_view text, std::size_t at);

inline constexpr std::size_t kLongestPlaceholder = 1024;

}  // namespace kette::sentences
