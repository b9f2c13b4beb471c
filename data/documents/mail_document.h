// A mail (RFC 5322 and MIME), an mbox of several, or only the text of one. The subject and the
// plain text are translated, in paragraphs of one quotation depth. Other headers, signatures and
// other parts are unchanged, but the headers of text that was ASCII and no longer is declare UTF-8.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "data/documents/document.h"
#include "data/documents/document_bytes.h"
#include "data/documents/mail_headers.h"

namespace kette {

class MailDocument : public DocumentOfBytes {
 public:
  /// name: for the Error if the bytes are not text.
  MailDocument(std::string bytes, const std::string& name);

  /// Parts that may have text but were left unchanged, each with its place: attachments, HTML, text
  /// in base64, quoted-printable or another character set, signed parts, encoded subjects.
  std::vector<std::string> notes() const override { return left_.notes(); }
  std::string with(const std::vector<TextBlock>& translations) const override;

 private:
  friend class MailReader;
  static constexpr std::size_t kNoParent = static_cast<std::size_t>(-1);

  /// A mail, or a part of one.
  struct Part {
    MailDeclaration declared;
    bool is_mail = false;
    std::size_t parent = kNoParent;  ///< comes before its parts
    /// Of its own text, if that is ASCII; else none.
    std::size_t first_block = 0, last_block = 0;
  };
  std::string written(std::size_t index, const TextBlock& translation) const override;
  bool keeps_empty_lines() const override { return false; }

  std::string_view line_end() const;

  LeftParts left_;
  std::vector<std::size_t> subjects_;  // indices of blocks
  std::vector<Part> parts_;
};

std::unique_ptr<MailDocument> read_mail(std::string bytes, const std::string& name);

}  // namespace kette
