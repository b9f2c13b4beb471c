#include <doctest/doctest.h>

#include <chrono>
#include <string>
#include <vector>

#include "data/sentences/protected_text.h"
#include "data/sentences/text_units.h"

using kette::protected_spans;
using kette::text_units;

namespace {

using Texts = std::vector<std::string>;

Texts found(const std::string& text) {
  Texts all;
  std::size_t last = 0;
  for (const kette::ProtectedSpan& span : protected_spans(text)) {
    CHECK(span.begin >= last);
    CHECK(span.end > span.begin);
    last = span.end;
    all.emplace_back(span.of(text));
  }
  return all;
}

Texts units(const std::string& text) {
  Texts all;
  for (const kette::TextUnit& unit : text_units(text)) all.emplace_back(unit.of(text));
  return all;
}

}  // namespace

TEST_CASE(
    "protected text: addresses, without the sentence's punctuation, with their own brackets") {
  CHECK(found("See https://example.org/a?b=1&c=%20#d.") ==
        Texts{"https://example.org/a?b=1&c=%20#d"});
  CHECK(found("Siehe (http://x.de/Foo_(bar)), dann!") == Texts{"http://x.de/Foo_(bar)"});
  CHECK(found("<https://a.b/c> et \"ftp://h/é/ü.txt\"...") ==
        Texts{"https://a.b/c", "ftp://h/é/ü.txt"});
  CHECK(found("Besuchen Sie www.kette.de; oder HTTP://KETTE.DE!") ==
        Texts{"www.kette.de", "HTTP://KETTE.DE"});
  CHECK(found("auf kette.de, github.com/a/b. Und bit.ly/x?") ==
        Texts{"kette.de", "github.com/a/b", "bit.ly/x"});
  CHECK(found("http://localhost:8080/{id}/x, https://[::1]/") ==
        Texts{"http://localhost:8080/{id}/x", "https://[::1]/"});
  CHECK(found("请访问https://example.com/a。谢谢") == Texts{"https://example.com/a"});
  CHECK(found("« https://fr.wikipedia.org/wiki/Été »") ==
        Texts{"https://fr.wikipedia.org/wiki/Été"});
  CHECK(found("tel:+49-30-1234 mailto:a@b.de?subject=x.") ==
        Texts{"tel:+49-30-1234", "mailto:a@b.de?subject=x"});
  CHECK(found("Das Ende.Der Anfang. z.B. so, and/or, km/h, 24/7, www. und http://").empty());
  CHECK(found("hotel: schön; e.g. this, i.e. that, U.S. law, a.m., Nr.5, usw.").empty());
}

TEST_CASE("protected text: mail addresses") {
  CHECK(found("Schreiben Sie an max.muster+x@mail.example.co.uk.") ==
        Texts{"max.muster+x@mail.example.co.uk"});
  CHECK(found("(info@müller.de), <a_b@c.fr>, „x@y.org“") ==
        Texts{"info@müller.de", "a_b@c.fr", "x@y.org"});
  CHECK(found("AT&T, @name, a@b, 5 @ 3 Euro, user@").empty());
}

TEST_CASE("protected text: placeholders of message catalogues and templates") {
  CHECK(found("%s and %d of %1$s, %2$-10s, %5.2f%%") ==
        Texts{"%s", "%d", "%1$s", "%2$-10s", "%5.2f", "%%"});
  CHECK(found("%(name)s hat %(count)d: %(x).2f %{who} %<n>d %@ %ld %-5s|") ==
        Texts{"%(name)s", "%(count)d", "%(x).2f", "%{who}", "%<n>d", "%@", "%ld", "%-5s"});
  CHECK(found("%dx%d px, %dMB, %Y-%m-%d %H:%M, %PATH%") ==
        Texts{"%d", "%d", "%d", "%Y-%m-%d %H:%M", "%PATH%"});
  CHECK(found("{} {0} {name} {user.name} {a[0]} { x } {0:>5} {x!r:10}") ==
        Texts{"{}", "{0}", "{name}", "{user.name}", "{a[0]}", "{ x }", "{0:>5}", "{x!r:10}"});
  CHECK(found("{{name}}, {{ user.name | upper }}, {{{raw}}}") ==
        Texts{"{{name}}", "{{ user.name | upper }}", "{{{raw}}}"});
  CHECK(found("{n, number, integer} {d, date} {n, plural, one {# file} other {# files}}!") ==
        Texts{"{n, number, integer}", "{d, date}", "{n, plural, one {# file} other {# files}}"});
  CHECK(found("$NAME, ${x}, $user.name. $X; $(CC) #{a} @{b} $unit|'s") ==
        Texts{"$NAME", "${x}", "$user.name", "$X", "$(CC)", "#{a}", "@{b}", "$unit|"});
  CHECK(found("<<name>> <<USER_NAME>> __NAME__ __FIRST_NAME__") ==
        Texts{"<<name>>", "<<USER_NAME>>", "__NAME__", "__FIRST_NAME__"});
}

TEST_CASE("protected text: what only looks like a placeholder is text") {
  for (const std::string text : {"100 % sicher, 5 % der Leute, 20% discount, 50%ige",
                                 "3,5 % des ventes; à 100% sûr",
                                 "It costs $5, US$ 3, $5.50 or A$AP",
                                 "AT&T :) ;-) :-( <3 ^^",
                                 "{a, b} und {1, 2, 3}",
                                 "{ nicht so }",
                                 "f(x) { return; }",
                                 "(%incl. VAT)",
                                 "5 %",
                                 "%",
                                 "$",
                                 "{",
                                 "}",
                                 "{{",
                                 "$ 5",
                                 "<< Bonjour >>",
                                 "<<Bonjour>>",
                                 "a << b >> c",
                                 "snake_case, __init",
                                 "1 < 2 > 1",
                                 "C# und C++, 10 000 %, # 5"}) {
    CAPTURE(text);
    CHECK(found(text).empty());
  }
}

TEST_CASE("protected text: tags, but no comparisons") {
  CHECK(
      found(
          "The dog is <b>not</b> red.<br/>See <a href=\"x?a>b\" title='a b'>here</a >, <x:y-1 z=1>") ==
      Texts{"<b>", "</b>", "<br/>", "<a href=\"x?a>b\" title='a b'>", "</a >", "<x:y-1 z=1>"});
  CHECK(found("&lt;b&gt; {n}<b>%s</b>") == Texts{"{n}", "<b>", "%s", "</b>"});
  for (const std::string text :
       {"a < b and c > d", "I <3 you", "x<y", "x <y and z> w", "a <b c", "<b", "</>", "<a_b>",
        "<a href=\"", "(a <b) > c", "< b>", "</b x=1>", "<<Bonjour>>"}) {
    CAPTURE(text);
    CHECK(found(text).empty());
  }
}

TEST_CASE("protected text: names of emoji, but no times") {
  CHECK(found("Done :tada::rocket: (:white_check_mark:), :thumbsup-2:") ==
        Texts{":tada:", ":rocket:", ":white_check_mark:", ":thumbsup-2:"});
  CHECK(found("at 12:30:15, a:b:c, std::vector::size, Note: see: that, :Tada:, :a b:, x :y:z")
            .empty());
}

TEST_CASE("protected text: options and paths where they are clearly such") {
  CHECK(found("Run it with --help or --out=a/b.txt, --no-color.") ==
        Texts{"--help", "--out=a/b.txt", "--no-color"});
  CHECK(found("in /etc/passwd, ~/.bashrc, ../x/y und C:\\Users\\max.") ==
        Texts{"/etc/passwd", "~/.bashrc", "../x/y", "C:\\Users\\max"});
  // Not the dashes of a typewriter: before a word that joins clauses or has a capital, or in pairs.
  CHECK(found("use --verbose to see, \u201E--quiet\u201C not to, --since=now, --no-wait") ==
        Texts{"--verbose", "--quiet", "--since=now", "--no-wait"});
  for (const std::string text : {"He left --because he was tired.", "The man --old-- runs.",
                                 "A dog --Rex runs.", "It is late (--yes!--).", "er kam --weil"}) {
    CAPTURE(text);
    CHECK(found(text).empty());
  }
  CHECK(found("und/oder, / , /me, er kam -- und ging --und sie, house--not, 1/2, ... ./. ..")
            .empty());
}

TEST_CASE("protected text: no input takes more than its share of time, or breaks anything") {
  for (const std::string part :
       {"{",   "{{",      "{a,plural,", "${",        "%",       "%(",  "$(",   "<<",
        "__A", "mailto:", "http://",    "www.",      "a@",      "a.",  "a.a/", "-",
        "--a", "/a",      "(",          "https://(", "%Y-",     "a-",  "\xC3", "\xF0\x9F",
        "é.",  "@{",      "tel:",       "<a ",       "<a b=\"", "<a>", ":a",   "--a--",
        "{a:", "$a.",     "%1$",        "ab.de:1",   "~/",      "C:\\"}) {
    CAPTURE(part);
    std::string text;
    while (text.size() < 100'000) text += part;
    const auto begin = std::chrono::steady_clock::now();
    found(text);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    CHECK(taken.count() < 2);
  }
}

TEST_CASE("text units: words and single marks") {
  CHECK(units("Don't, l’homme (3.5 %) well-known.") ==
        Texts{"Don't", ",", "l’", "homme", "(", "3.5", "%", ")", "well", "-", "known", "."});
  CHECK(units("  a\u00A0b\t\n") == Texts{"a", "b"});
  CHECK(units("日本 語。x_1") == Texts{"日", "本", "語", "。", "x_1"});
  CHECK(units("e\u0301té \xFFz") == Texts{"e\u0301té", "\xFF", "z"});
  CHECK(units("").empty());
}
