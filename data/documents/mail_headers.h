// The headers of a mail or of one of its parts.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "data/documents/source_lines.h"

namespace kette {

struct MailHeaders {
  std::size_t end = 0;                   ///< where the body begins
  std::optional<SourceRange> subject{};  ///< its text, with line ends if folded
  bool is_mail = false;                  ///< it has a header that only mails have
  std::string type = "text/plain", charset{}, boundary{},
              encoding{};  ///< in lower case, except the boundary
  bool flowed = false;     ///< RFC 3676: a line that ends in a space continues
};

/// Reads up to a blank line or a line that is not a header.
MailHeaders read_mail_headers(std::string_view bytes, SourceRange range);

/// Encodes a subject as encoded words (RFC 2047), folded with this line end.
std::string encoded_words(std::string_view text, std::string_view line_end);

}  // namespace kette
