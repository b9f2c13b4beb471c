// Mails, and plain text, come back byte for byte.
#include "data/documents/mail_document.h"

#include "data/documents/text_document.h"
#include "tests/fuzz/document_uses.h"
#include "tests/fuzz/targets.h"

namespace kette::fuzz {
namespace {

std::vector<std::string> seeds() {
  return {
      "From: a@b.c\nSubject: Re: [list] Hello\n there\n\nHi,\na text.\n\nOn Monday, Bob wrote:\n> quoted\n>> deeper\n-- \nsig\n",
      "From a@b Sat Jan  3 01:05:34 1996\nTo: x\n\none\n\nFrom c@d Sat Jan  3 01:05:34 1996\nTo: y\n\ntwo\n",
      "MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=\"b\"\r\n\r\n--b\r\n\r\ntext\r\n--b\r\nContent-Type: "
      "text/html; charset=utf-8\r\n\r\n<p>\r\n--b\r\nContent-Type: text/plain; format=flowed\r\n\r\nflowed \r\ntext\r\n--b--\r\n",
      "From: a@b.c\nContent-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/plain; charset=\"us-ascii\"\n"
      "Content-Transfer-Encoding: 7bit\n\ntext\n-----\n--b\nContent-Disposition: attachment; filename=a.c\n\nint\n--b--\n",
      "Just a reply:\n\n> - an item\n> 2. another\n"};
}

void read(std::string_view input) {
  use(*read_mail(std::string(input), "fuzz"), input);
  use(*read_text_document(std::string(input), "fuzz"), input);
  use(*read_text_document(std::string(input), "fuzz", TextLayout::lines), input);
}

}  // namespace

const Target mail_document = {"mail_document", seeds, read};

}  // namespace kette::fuzz
