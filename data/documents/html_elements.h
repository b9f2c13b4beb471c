// Kinds of HTML elements, for finding text.
#pragma once

#include <string_view>

namespace kette {

bool is_html_void(std::string_view name);   ///< has no content and no end tag
bool is_html_block(std::string_view name);  ///< no sentence crosses its border
bool is_html_raw(std::string_view name);    ///< its content has no tags
bool is_html_code(std::string_view name);   ///< its content is not natural language

/// Whether an open element ends where `next` begins: an item before the next item.
bool ends_before(std::string_view open, std::string_view next);

}  // namespace kette
