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

TEST_CASE("mail: an encoded subject keeps its addresses, on whatever line they are") {
  const auto document = mail("Subject: hello at\n\thttps://a.b/c now\nFrom: a@b.c\n\ntext\n");
  std::vector<TextBlock> blocks = document->blocks();
  REQUIRE(shown(blocks[0]) == "hello at{\n\t}{https://a.b/c }now");
  blocks[0].text = "Gr\u00FC\u00DFe jetzt";
  blocks[0].marks[0].at = 7;
  blocks[0].marks[1].at = 8;
  CHECK(
      document->with(blocks) ==
      "Subject: =?UTF-8?Q?Gr=C3=BC=C3=9Fe_https=3A=2F=2Fa=2Eb=2Fc_jetzt?=\nFrom: a@b.c\n\ntext\n");
}

TEST_CASE("mail: text that was ASCII and no longer is gets the headers that say so") {
  const auto changed = [](const std::string& bytes, const std::string& text = "\u00FC") {
    return with_text(*mail(bytes), 0, text);
  };
  CHECK(changed("From: a@b.c\r\n\r\ntext\r\n") ==
        "From: a@b.c\r\nMIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\n"
        "Content-Transfer-Encoding: 8bit\r\n\r\n\u00FC\r\n");
  CHECK(changed("From: a@b.c\n\ntext\n", "ASCII") == "From: a@b.c\n\nASCII\n");
  CHECK(changed(kMime + "Content-Type: text/plain; charset=\"US-ASCII\"; format=flowed\n"
                        "Content-Transfer-Encoding: 7bit\nTo: x\n\ntext\n") ==
        kMime +
            "Content-Type: text/plain; charset=\"utf-8\"; format=flowed\n"
            "Content-Transfer-Encoding: 8bit\nTo: x\n\n\u00FC\n");
  CHECK(changed(kMime + "Content-Transfer-Encoding: 7BIT\nContent-Type: text/plain\n\ntext\n") ==
        kMime +
            "Content-Transfer-Encoding: 8bit\nContent-Type: text/plain; charset=utf-8\n\n\u00FC\n");
  CHECK(changed(kMime + "Content-Type: text/plain; charset=utf-8\n"
                        "Content-Transfer-Encoding: 8bit\n\ntext\n") ==
        kMime +
            "Content-Type: text/plain; charset=utf-8\n"
            "Content-Transfer-Encoding: 8bit\n\n\u00FC\n");
  // What has other characters already declares them, or was torn before.
  CHECK(changed("From: a@b.c\n\n\u00E4 text\n") == "From: a@b.c\n\n\u00FC\n");
  // A part, and what it is in; its neighbour is as it was.
  CHECK(changed(kMime +
                "Content-Type: multipart/mixed; boundary=b\nContent-Transfer-Encoding: 7bit\n\n"
                "--b\n\ntext\n--b\nContent-Type: text/plain\n\nmore\n--b--\n") ==
        kMime +
            "Content-Type: multipart/mixed; boundary=b\nContent-Transfer-Encoding: 8bit\n\n"
            "--b\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit\n"
            "\n\u00FC\n--b\nContent-Type: text/plain\n\nmore\n--b--\n");
}

TEST_CASE("mail: attachments are left, by their disposition or file name") {
  for (const char* header :
       {"Content-Disposition: attachment", "Content-Disposition: Inline; filename=a.c",
        "Content-Disposition: inline;\n filename*0*=utf-8''a.c",
        "Content-Type: text/plain; name=\"a.log\""}) {
    CAPTURE(header);
    const auto document =
        mail(kMime + "Content-Type: multipart/mixed; boundary=b\n\n--b\n\ntext\n--b\n" + header +
             "\n\nint main();\n--b--\n");
    CHECK(testing::shown_blocks(*document) == Shown{"text"});
    REQUIRE(document->notes().size() == 1);
    CHECK(contains(document->notes()[0], "left as it is: an attachment, text/plain"));
  }
  CHECK(mail_blocks(kMime + "Content-Disposition: inline\n\ntext\n") == Shown{"text"});
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
