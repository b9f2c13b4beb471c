// The headers of a mail or of one of its parts.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/documents/document.h"
#include "data/documents/source_lines.h"

namespace kette {

/// Where the headers say how the bytes of the text are to be read.
struct MailDeclaration {
  std::size_t end = 0;  ///< behind the last header, before a blank line
  /// The type itself, and the values of charset and Content-Transfer-Encoding without quotes.
  std::optional<SourceRange> type{}, charset{}, encoding{};
  bool has_version = false;  ///< MIME-Version
};

struct MailHeaders {
  std::size_t end = 0;                   ///< where the body begins
  std::optional<SourceRange> subject{};  ///< its text, with line ends if folded
  bool is_mail = false;                  ///< it has a header that only mails have
  std::string type = "text/plain", charset{}, boundary{},
              encoding{};      ///< in lower case, except the boundary
  bool flowed = false;         ///< RFC 3676: a line that ends in a space continues
  bool is_attachment = false;  ///< it is one, or has a file name
  MailDeclaration declared{};
};

/// Reads up to a blank line or a line that is not a header.
MailHeaders read_mail_headers(std::string_view bytes, SourceRange range);

/// What headers need before text that was ASCII and no longer is: 8bit, and the charset of a text's
/// own. is_text: else it only has such parts. is_mail: else it is a part. Ascending.
std::vector<DocumentEdit> edits_for_utf8(std::string_view bytes, const MailDeclaration& declared,
                                         bool is_text, bool is_mail, std::string_view line_end);

/// Encodes a subject as encoded words (RFC 2047), folded with this line end.
std::string encoded_words(std::string_view text, std::string_view line_end);

}  // namespace kette
