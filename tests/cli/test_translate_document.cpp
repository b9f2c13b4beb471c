// kette translate over documents, and over lines with what no model may change.
#include <doctest/doctest.h>

#include <random>
#include <sstream>

#include "tests/cli/call_kette.h"

using namespace kette::testing;

namespace {

std::vector<std::string> translate(const std::vector<std::string>& more) {
  return with({"translate", "--model", SmallModel::get().model(), "--threads", "1"}, more);
}

}  // namespace

TEST_CASE("translate: every mark of 500 lines is in its translation once") {
  const std::vector<std::string> marks = {"https://example.com/a?b=1&c=2",
                                          "www.example.org/x",
                                          "someone@example.com",
                                          "{name}",
                                          "{{count}}",
                                          "%1$s",
                                          "${path}",
                                          "\xF0\x9F\x98\x80",
                                          "\xE2\x82\xAC",
                                          "\xD0\x9C\xD0\xB8\xD1\x80"};
  const std::vector<std::string> words = {"the", "cat", "sees", "bread", "a", "man", "likes"};
  std::mt19937 random(7);
  std::string input;
  std::vector<std::vector<std::string>> expected;
  for (int line = 0; line < 500; ++line) {
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < 3 + random() % 4; ++i) parts.push_back(words[random() % 7]);
    std::vector<std::string> chosen;
    for (std::size_t first = random() % marks.size(), i = 0; i < 1 + random() % 4; ++i) {
      chosen.push_back(marks[(first + 3 * i) % marks.size()]);
      parts.insert(parts.begin() + static_cast<std::ptrdiff_t>(random() % (parts.size() + 1)),
                   chosen.back());
    }
    for (std::size_t i = 0; i < parts.size(); ++i) input += (i > 0 ? " " : "") + parts[i];
    input += " .\n";
    expected.push_back(chosen);
  }
  RunOptions options;
  options.input = input;
  const Outcome outcome = run_kette(translate({"--max-length", "20"}), options);
  REQUIRE(outcome.code == 0);
  CHECK(outcome.says("of 500 sentences have addresses, placeholders or unknown characters"));
  CHECK(outcome.says("the model does not know"));
  std::size_t number = 0;
  for (const std::string& line : lines_of(outcome.out)) {
    for (const std::string& mark : expected.at(number++)) {
      CAPTURE(line);
      CAPTURE(mark);
      REQUIRE(count_of(line, mark) == 1);
    }
  }
  CHECK(number == 500);
}

TEST_CASE("translate: a document keeps its form, and a broken one leaves the output as it was") {
  const ScratchFolder folder;
  const auto path = [&](const char* name) { return (folder / name).string(); };
  write_file(
      folder / "page.html",
      "<html><head><title>the cat</title></head><body class=x>\n"
      "<p>the <b>cat</b> sees bread . a man likes <a href=\"u?a=1&amp;b=2\">music</a> .</p>\n"
      "<pre>as it is</pre></body></html>\n");
  const Outcome page = call_kette(
      translate({"--input", path("page.html"), "--output", path("seite.html"), "--json"}));
  CHECK(page.code == 0);
  const std::string written = read_file(folder / "seite.html");
  for (const char* part :
       {"<html><head><title>", "<body class=x>\n<p>", "<b>", "</b>", "<a href=\"u?a=1&amp;b=2\">",
        "</a>", "<pre>as it is</pre></body></html>\n"}) {
    CAPTURE(part);
    CHECK(count_of(written, part) == 1);
  }
  CHECK(page.json()["blocks"] == 2);

  write_file(folder / "film.srt",
             "1\n00:00:01,000 --> 00:00:02,500\n<i>the cat</i>\nsees bread .\n\n"
             "2\n00:00:03,000 --> 00:00:04,000\na man likes music .\n");
  const Outcome film = call_kette(translate({"--input", path("film.srt")}));
  CHECK(film.code == 0);
  CHECK(film.out.starts_with("1\n00:00:01,000 --> 00:00:02,500\n"));
  CHECK(count_of(film.out, "\n\n2\n00:00:03,000 --> 00:00:04,000\n") == 1);

  write_file(folder / "table.tsv", "1\tthe cat sees bread .\tkeep this\n2\ta man .\tand this\n");
  const Outcome table = call_kette(translate({"--input", path("table.tsv"), "--columns", "2"}));
  CHECK(table.code == 0);
  CHECK(table.out.starts_with("1\t"));
  CHECK(count_of(table.out, "\tkeep this\n2\t") == 1);
  CHECK(table.out.ends_with("\tand this\n"));

  write_file(folder / "table.csv", "1,\"the cat, a man\",\"keep, \"\"this\"\"\"\n");
  const Outcome commas = call_kette(translate({"--input", path("table.csv"), "--columns", "2"}));
  CHECK(commas.code == 0);
  CHECK(commas.out.starts_with("1,\""));
  CHECK(commas.out.ends_with("\",\"keep, \"\"this\"\"\"\n"));
  write_file(folder / "named.csv", "number,a man\n1,the cat sees bread .\n");
  const Outcome named = call_kette(translate({"--input", path("named.csv"), "--header"}));
  CHECK(named.code == 0);
  CHECK(named.out.starts_with("number,a man\n1,"));

  write_file(folder / "words.json", "{\"a\": \"the cat\"}\n");
  const Outcome unread = call_kette(translate({"--input", path("words.json")}));
  CHECK(unread.code == 2);
  CHECK(
      unread.says("given another kind of document, words.json (--format text reads it as lines)"));
  CHECK(call_kette(translate({"--input", path("words.json"), "--format", "text"})).code == 0);

  for (const std::vector<std::string>& more :
       {std::vector<std::string>{"--input", path("table.tsv"), "--columns", "1.5"},
        {"--input", path("page.html"), "--columns", "1"},
        {"--input", path("page.html"), "--header"}}) {
    CHECK(call_kette(translate(more)).code == 2);
  }

  write_file(folder / "torn.xliff", "<xliff version=\"1.2\"><file><body></file></xliff>");
  write_file(folder / "out", "earlier\n");
  const Outcome torn =
      call_kette(translate({"--input", path("torn.xliff"), "--output", path("out")}));
  CHECK(torn.code == 1);
  CHECK(torn.says("torn.xliff:1:"));
  CHECK(read_file(folder / "out") == "earlier\n");
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{"--n-best", "2"}, {"--prefix", path("out")}, {"--no-mend"}}) {
    const Outcome refused = call_kette(translate(with({"--input", path("page.html")}, more)));
    CHECK(refused.code == 2);
    CHECK(refused.says("given a document"));
  }
  const Outcome given = call_kette(translate({"--format", "html", "--", "<p>the <b>cat</b></p>"}));
  CHECK(count_of(given.out, "<b>") == 1);
  // A document read as lines; and lines as wrapped paragraphs.
  CHECK(call_kette(translate({"--input", path("page.html"), "--format", "text"})).code == 0);
  RunOptions wrapped;
  wrapped.input = "the cat\nsees bread .\n\na man\n";
  const Outcome paragraphs = run_kette(
      translate({"--split", "nonewlines", "--json", "--output", path("paragraphs")}), wrapped);
  CHECK(paragraphs.json()["sentences"] == 2);
}

TEST_CASE("translate: --report tells of each sentence what was done to it") {
  const ScratchFolder folder;
  const std::string report = (folder / "report").string();
  RunOptions options;
  options.input = "the cat sees {name} . a man likes music .\n\n...\n\xFF\n";
  const Outcome outcome = run_kette(translate({"--report", report, "--split", "lines"}), options);
  CHECK(outcome.code == 1);
  const std::vector<JsonView> lines = JsonView::lines(read_file(report));
  REQUIRE(lines.size() == 4);
  CHECK(lines[0]["line"] == 1);
  CHECK(lines[0]["source"] == "the cat sees {name} . a man likes music .");
  CHECK(contains(lines[0]["target"].text(), "{name}"));
  CHECK(contains(lines[0]["notes"].dump(), "carried"));
  CHECK(contains(lines[2]["notes"].dump(), "copied"));
  CHECK(contains(lines[3]["fault"].text(), ":4:1: expected UTF-8"));
}

TEST_CASE("translate: a prefix that would be written otherwise is refused with its line") {
  const ScratchFolder folder;
  write_file(folder / "prefix", "der hund\nder \xF0\x9F\x98\x80\ndie  katze\n");
  RunOptions options;
  options.input = "a cat\na dog\na man\n";
  const Outcome outcome = run_kette(translate({"--prefix", (folder / "prefix").string()}), options);
  CHECK(outcome.code == 1);
  CHECK(outcome.out.starts_with("der hund"));
  CHECK(outcome.says("prefix:2: expected a prefix that the model can write"));
  CHECK(outcome.says("prefix:3: expected a prefix that the model can write"));
}
