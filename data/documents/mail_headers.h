// The headers of a mail or of a part of it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "data/documents/source_lines.h"

namespace kette {

struct MailHeaders {
  std::size_t end = 0;                   ///< where the body begins
  std::optional<SourceRange> subject{};  ///< its text, with line ends where it is folded
  bool is_mail = false;                  ///< there is one that only mails have
  std::string type = "text/plain", charset{}, boundary{},
              encoding{};  ///< in lower case, but for the boundary
  bool flowed = false;     ///< RFC 3676: a line that ends in a space goes on in the next
};

/// Up to a blank line, or what is no header.
MailHeaders read_mail_headers(std::string_view bytes, SourceRange range);

/// A subject as encoded words of RFC 2047, folded with this line end.
std::string encoded_words(std::string_view text, std::string_view line_end);

}  // namespace kette
