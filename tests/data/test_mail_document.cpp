#include <doctest/doctest.h>

#include "data/documents/mail_document.h"
#include "tensor/error.h"
#include "tests/data/document_cases.h"
#include "tests/support.h"

using namespace kette;
using testing::contains;
using testing::shown;
using testing::with_text;

namespace {

using Shown = std::vector<std::string>;

std::unique_ptr<MailDocument> mail(const std::string& bytes) { return read_mail(bytes, "mail"); }

Shown mail_blocks(const std::string& bytes) {
  CHECK(testing::faults_of_passes(bytes, mail) == "");
  return testing::shown_blocks(*mail(bytes));
}

const std::string kMime = "From: a@b.c\nMIME-Version: 1.0\n";

}  // namespace

TEST_CASE("mail: the subject and the text are blocks, other headers and the signature stay") {
  CHECK(
      mail_blocks(
          "From: a@b.c\nSubject: Re: [list] Hello\n there\nDate: today\n\nHi Bob,\n\na text\nof two lines.\n"
          "\n-- \nAnn\n") == Shown{"Hello{\n }there", "Hi Bob,", "a text{\n}of two lines."});
  CHECK(mail_blocks("Subject: x1\r\n\r\none\r\ntwo\r\n") == Shown{"x1", "one{\r\n}two"});
  CHECK(mail_blocks("Note: this is no header\n\ntext") == Shown{"Note: this is no header", "text"});
}

TEST_CASE("mail: quotations are paragraphs of their depth") {
  CHECK(mail_blocks(
            "On Monday, Bob wrote:\n> one\n> two\n>> deep\n>> er\n> > spaced\n>\n> back\nmine\n") ==
        Shown{"On Monday, Bob wrote:", "one{\n> }two", "deep{\n>> }er{\n> > }spaced", "back",
              "mine"});
  CHECK(mail_blocks("> - an item\n>   goes on\n> 2. another\n> -- \n> sig\nmine\n") ==
        Shown{"an item{\n>   }goes on", "another", "mine"});
}

TEST_CASE("mail: flowed text ends its paragraphs at lines without a space") {
  const std::string flowed = kMime + "Content-Type: text/plain; format=flowed; charset=UTF-8\n\n";
  CHECK(mail_blocks(flowed + "one \ntwo\n three\n") == Shown{"one{ \n}two", "three"});
}

TEST_CASE("mail: plain parts are translated, others are noted") {
  const std::string packed =
      kMime +
      "Content-Type: multipart/mixed;\n boundary=\"b c\"\n\npreamble\n--b c\n\ntext\n"
      "--b c\nContent-Type: text/html\n\n<p>html\n--b c\nContent-Transfer-Encoding: base64\n\n"
      "dGV4dA==\n--b c--\nepilogue\n";
  CHECK(mail_blocks(packed) == Shown{"text"});
  CHECK(mail(packed)->notes() ==
        Shown{"mail:13: left as it is: text/html", "mail:17: left as it is: text/plain in base64"});
  CHECK(mail(kMime + "Content-Type: text/plain; charset=iso-8859-1\n\nabc\n")->notes() ==
        Shown{"mail:5: left as it is: text in iso-8859-1"});
  CHECK(mail(kMime + "Content-Type: multipart/signed; boundary=x\n\n--x\n\ntext\n--x--\n")
            ->blocks()
            .empty());
  CHECK(mail(kMime + "Subject: =?utf-8?q?a?=\n\nx y\n")->notes() ==
        Shown{"mail:3: left as it is: an encoded subject"});
  CHECK(mail_blocks(kMime + "Content-Type: message/rfc822\n\nSubject: inner\n\nbody\n") ==
        Shown{"inner", "body"});
  CHECK(
      mail_blocks(
          "one\n\n-----BEGIN PGP SIGNED MESSAGE-----\n\ntext\n-----END PGP SIGNATURE-----\nafter\n") ==
      Shown{"one", "after"});
}

TEST_CASE("mail: an mbox has several") {
  CHECK(
      mail_blocks(
          "From a@b Sat Jan  3 01:05:34 1996\nSubject: one\n\ntext\n\nFrom c@d Sat Jan  3 01:05:34 1996\n"
          "Subject: two\n\nmore\n") == Shown{"one", "text", "two", "more"});
}

TEST_CASE("mail: a subject that was ASCII is encoded when it is not any more") {
  const auto document = mail("Subject: Re: greetings\r\nFrom: a@b.c\r\n\r\ntext\r\n");
  CHECK(with_text(*document, 0, "Gr\u00FC\u00DFe an") ==
        "Subject: Re: =?UTF-8?Q?Gr=C3=BC=C3=9Fe_an?=\r\nFrom: a@b.c\r\n\r\ntext\r\n");
  std::string all;
  for (int i = 0; i < 30; ++i) all += "\u00FC";
  const std::string written = with_text(*document, 0, all);
  CHECK(contains(written, "?=\r\n =?UTF-8?Q?"));
}

TEST_CASE("mail: hostile input takes time in proportion") {
  const std::string head = kMime + "Content-Type: multipart/mixed; boundary=b\n\n";
  for (const std::string& part :
       {std::string(">"), std::string("> a\n"), std::string("--b\n"), std::string("a@b."),
        std::string("--b\nContent-Type: multipart/mixed; boundary=b\n\n"),
        std::string("From a 1:2 3\n\n"), std::string("- ")}) {
    CAPTURE(part);
    CHECK(testing::growth([&](std::size_t bytes) { mail(head + testing::repeated(part, bytes)); },
                          50'000) < 12);
  }
}
