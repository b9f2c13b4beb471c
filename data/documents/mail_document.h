// A mail (RFC 5322 and MIME), an mbox of several, or only the text of one. The subject and the
// plain text are translated, in paragraphs of one quotation depth. Other headers, signatures and
// other parts are unchanged.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "data/documents/document.h"

namespace kette {

class MailDocument : public DocumentOfBytes {
 public:
  /// name: for the Error if the bytes are not text.
  MailDocument(std::string bytes, const std::string& name);

  /// Parts that may have text but were left unchanged, each with its place: attachments, HTML, text
  /// in base64, quoted-printable or another character set, signed parts, encoded subjects.
  std::vector<std::string> notes() const override { return notes_; }

 private:
  friend class MailReader;
  std::string written(std::size_t index, const TextBlock& translation) const override;
  bool keeps_empty_lines() const override { return false; }

  std::vector<std::string> notes_;
  std::vector<std::size_t> subjects_;  // indices of blocks
};

std::unique_ptr<MailDocument> read_mail(std::string bytes, const std::string& name);

}  // namespace kette
