// What HTML elements are to one who looks for text.
#pragma once

#include <string_view>

namespace kette {

bool is_html_void(std::string_view name);   ///< has no content and no end tag
bool is_html_block(std::string_view name);  ///< no sentence goes into it or out of it
bool is_html_raw(std::string_view name);    ///< its content has no tags
bool is_html_code(std::string_view name);   ///< its content is no language that people speak

/// Whether an element that is still open ends where this one begins: an item before the next one.
bool ends_before(std::string_view open, std::string_view next);

}  // namespace kette
