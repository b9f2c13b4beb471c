// Mail as it is sent (RFC 5322 and MIME), several in an mbox, or only the text of one: the subject and the plain text are
// translated, in paragraphs of one depth of quotation. Other headers, signatures and other parts are left as they are.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "data/documents/document.h"

namespace kette {

class MailDocument : public DocumentOfBytes {
 public:
  /// The name stands in errors: bytes that are no text.
  MailDocument(std::string bytes, const std::string& name);

  /// What was left as it is though it may have text, each with its place: attachments, HTML, text in base64, in
  /// quoted-printable or another character set, signed parts, encoded subjects.
  std::vector<std::string> notes() const override { return notes_; }

 private:
  friend class MailReader;
  std::string written(std::size_t index, const TextBlock& translation) const override;
  bool keeps_empty_lines() const override { return false; }

  std::vector<std::string> notes_;
  std::vector<std::size_t> subjects_;  // which blocks
};

std::unique_ptr<MailDocument> read_mail(std::string bytes, const std::string& name);

}  // namespace kette
