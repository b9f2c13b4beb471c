#include <doctest/doctest.h>

#include "data/files/visible_text.h"

using kette::visible;

TEST_CASE("control characters and bytes that are no UTF-8 become visible, all else stays") {
  CHECK(visible("größer 日 🙂\n\tend") == "größer 日 🙂\n\tend");
  CHECK(visible("\x1b[2J\r\x07") == "\\x1b[2J\\x0d\\x07");
  CHECK(visible(std::string("a\0b\x7f", 4)) == "a\\x00b\\x7f");
  CHECK(visible("\xC2\x9B"
                "31m") == "\\x9b31m");  // U+009B is ESC [ in one character
  CHECK(visible("\x9B"
                "31m\xFF") == "\\x9b31m\\xff");
  CHECK(visible("\xC2\xA0\xC3") == "\xC2\xA0\\xc3");
  CHECK(visible("").empty());
}
