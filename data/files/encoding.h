// What text is that is not UTF-8, in words for errors.
#pragma once

#include <string>
#include <string_view>

namespace kette {

/// iconv's name of the UTF-16 that a text is by its first bytes: a byte order mark, or every other
/// byte NUL. Null for any other text.
const char* utf16_name(std::string_view start);

/// "expected UTF-8, given the byte 0xF6 (convert ...)", or UTF-16 where the text begins as such.
/// start: the first bytes of the whole text. where: follows what was given.
std::string expected_utf8(std::string_view start, char given, const std::string& where = "");

/// Throws an Error if the first bytes of a text say that it is UTF-16, which may be valid UTF-8
/// with NULs in between.
void check_not_utf16(std::string_view start, const std::string& name);

}  // namespace kette
