// Describes text that is not UTF-8, for errors.
#pragma once

#include <string>
#include <string_view>

namespace kette {

/// iconv's name of the UTF-16 variant, if the first bytes are UTF-16: a byte order mark, or every
/// other byte NUL. Else null.
const char* utf16_name(std::string_view start);

/// "expected UTF-8, given the byte 0xF6 (convert ...)", or UTF-16 if the text begins so. start: the
/// first bytes of the whole text. where: appended.
std::string expected_utf8(std::string_view start, char given, const std::string& where = "");

/// Throws an Error if the first bytes are UTF-16. Such text may be valid UTF-8 with NULs.
void check_not_utf16(std::string_view start, const std::string& name);

}  // namespace kette
