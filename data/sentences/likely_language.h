// In which of the languages that the splitter knows a text is, by its function words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kette {

/// "en", "de" or "fr"; "" where no language has clearly the most.
std::string likely_language(const std::vector<std::string_view>& lines);

}  // namespace kette
