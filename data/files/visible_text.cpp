#include "data/files/visible_text.h"

#include <cstdio>

#include "data/files/utf8.h"

namespace kette {
namespace {

/// C0 except line feed and tab, DEL, and C1, since U+009B also begins escapes.
bool needs_escape(char32_t character) {
  if (character == '\n' || character == '\t') return false;
  return character < 0x20 || (character >= 0x7F && character < 0xA0);
}

}  // namespace

std::string visible(std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const Utf8Character character = utf8_character(text, at);
    if (character.bytes > 0 && !needs_escape(character.code_point)) {
      shown += text.substr(at, character.bytes);
      at += character.bytes;
      continue;
    }
    char escaped[16];
    const auto byte = static_cast<unsigned char>(text[at]);
    const unsigned code = character.bytes > 0 ? static_cast<unsigned>(character.code_point) : byte;
    std::snprintf(escaped, sizeof escaped, "\\x%02x", code);
    shown += escaped;
    at += character.bytes > 0 ? character.bytes : 1;
  }
  return shown;
}

}  // namespace kette
