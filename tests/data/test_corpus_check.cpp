// A corpus with planted oddities: each is found where it was planted, and nothing else is.
#include <doctest/doctest.h>
#include <sys/stat.h>

#include <map>

#include "data/checks/corpus_check.h"
#include "data/checks/line_facts.h"
#include "data/checks/line_table.h"
#include "data/checks/pair_samples.h"
#include "data/tokenizers/sentencepiece_tokenizer.h"
#include "tests/data/planted_corpus.h"

using namespace kette;
using namespace kette::testing;

namespace {

using Lines = std::vector<std::int64_t>;

CheckedTexts texts_in(const std::filesystem::path& folder) {
  return {{{folder / "train.en", folder / "train.de"}},
          {{folder / "valid.en", folder / "valid.de"}},
          {}};
}

/// By the names of the findings that have any; sampled lines.
std::map<std::string, Lines> lines_of_findings(const TextReport& text) {
  std::map<std::string, Lines> all;
  for (const OddPairs& finding : text.findings) {
    if (finding.pairs == 0) continue;
    Lines& lines = all[enum_name(finding.oddity)];
    for (const PairSample& sample : finding.samples) lines.push_back(sample.line);
  }
  return all;
}

const OddPairs& find(const TextReport& text, Oddity oddity) {
  for (const OddPairs& finding : text.findings) {
    if (finding.oddity == oddity) return finding;
  }
  fail("no finding");
}

}  // namespace

TEST_CASE("check: planted oddities are found where they are, and nothing else is") {
  const ScratchFolder folder;
  write_planted(folder.path());
  CheckOptions options;
  options.samples = 100;
  const CorpusReport report = check_corpus(texts_in(folder.path()), options);
  REQUIRE(report.texts.size() == 2);
  const TextReport &train = report.texts[0], &valid = report.texts[1];
  CHECK(train.pairs == 900);
  CHECK(train.source_language == "en");
  CHECK(train.target_language == "de");
  const std::map<std::string, Lines> expected = {
      {"duplicate", {101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111, 112}},
      {"empty", {121, 122, 123}},
      {"equal", {131, 132}},
      {"swapped", {141, 142, 143, 144}},
      {"other-language", {151, 152, 153}},
      {"ratio", {161}},
      // The line of U+00A0 alone, U+FFFD twice (once for a byte that is no UTF-8), and U+2122 of what was broken.
      {"changed", {122, 123, 171, 172, 192, 193, 194}},
      {"markup", {181, 182, 183}},
      {"encoding", {191, 192, 193, 194}},
      {"tokenised", {201, 202}},
      {"lower-cased", {211}}};
  CHECK(lines_of_findings(train) == expected);
  CHECK(lines_of_findings(valid) == std::map<std::string, Lines>{{"overlap", {5}},
                                                                 {"overlap-normalised", {5, 6}},
                                                                 {"overlap-side", {5, 6, 7}}});
  const std::string file = (folder / "train.en").string();
  CHECK(find(train, Oddity::duplicate).samples[0].note == "as line 1");
  CHECK(find(train, Oddity::empty).sources == 1);
  CHECK(find(train, Oddity::empty).targets == 2);
  CHECK(find(train, Oddity::swapped).samples[0].note == "in de and en");
  CHECK(find(train, Oddity::other_language).samples[2].note == "in another script and de");
  CHECK(find(train, Oddity::ratio).samples[0].note == "63 and 3 characters");
  CHECK(find(train, Oddity::changed).samples[3].note == "target: '\xE2\x80\xA6' (U+2026)");
  CHECK(find(train, Oddity::markup).samples[1].note == "source: &amp;");
  CHECK(find(train, Oddity::markup).samples[2].note == "target: <a href=\"x\">");
  CHECK(find(train, Oddity::encoding).samples[0].note == "target: \xC3\x83\xC2\xB6");
  CHECK(contains(find(train, Oddity::encoding).samples[1].note,
                 "train.de:192:11: expected UTF-8, given "
                 "the byte 0xF6"));
  CHECK(find(train, Oddity::encoding).samples[2].note == "target: '\xEF\xBF\xBD' (U+FFFD)");
  CHECK(find(train, Oddity::tokenised).samples[0].note ==
        "source: sleeps .; target: schl\xC3\xA4"
        "ft .");
  CHECK(find(valid, Oddity::overlap).samples[0].note == "as " + file + ":20");
  CHECK(find(valid, Oddity::overlap_normalised).samples[1].note == "as " + file + ":21");
  CHECK(find(valid, Oddity::overlap_side).samples[2].note == "source as " + file + ":22");
}

TEST_CASE("check: with a vocabulary also what it does not know") {
  const ScratchFolder folder;
  write_planted(folder.path());
  std::vector<std::string_view> lines;
  const auto pairs = clean_pairs();
  for (const auto& pair : pairs) {
    lines.push_back(pair.english);
    lines.push_back(pair.german);
  }
  SentencePieceOptions how;
  how.vocabulary = 200;
  CheckOptions options;
  options.tokenizer = SentencePieceTokenizer::train(lines, how);
  const CorpusReport report = check_corpus(texts_in(folder.path()), options);
  const OddPairs& unwritable = find(report.texts[0], Oddity::unwritable);
  const Lines found = lines_of_findings(report.texts[0])["unwritable"];
  CHECK(std::find(found.begin(), found.end(), 221) != found.end());
  CHECK(unwritable.samples.back().note == "target: '\xE2\x98\x83' (U+2603)");
}

TEST_CASE("check: a clean corpus has no warning, and the other way round everything is swapped") {
  const ScratchFolder folder;
  write_clean(folder.path());
  CheckedTexts texts = texts_in(folder.path());
  CorpusReport report = check_corpus(texts);
  CHECK(report.warnings() == 0);
  CHECK(warning_lines(report).empty());
  CHECK(lines_of_findings(report.texts[0]).empty());
  CHECK(lines_of_findings(report.texts[1]).empty());
  // Validation is to be in the languages of training, whatever its files are called.
  std::swap(texts.validation[0].source, texts.validation[0].target);
  report = check_corpus(texts);
  CHECK(report.warnings() > 0);
  CHECK(find(report.texts[1], Oddity::swapped).pairs > 20);
  // Training is in the languages that the names of its files end in, if they say so.
  std::filesystem::rename(folder / "train.en", folder / "other");
  std::filesystem::rename(folder / "train.de", folder / "train.en");
  std::filesystem::rename(folder / "other", folder / "train.de");
  texts.validation.clear();
  report = check_corpus(texts);
  CHECK(report.texts[0].languages() == "German and English");
  CHECK(report.warnings() > 0);
  CHECK(find(report.texts[0], Oddity::swapped).pairs > 300);
  std::filesystem::copy(folder / "train.de", folder / "train.de.gz");
  std::filesystem::copy(folder / "train.en", folder / "train.en.zst");
  texts.training = {{folder / "train.en.zst", folder / "train.de.gz"}};
  CHECK(find(check_corpus(texts).texts[0], Oddity::swapped).pairs > 300);
  // The same text on both sides, with and without names.
  texts.training = {{folder / "train.de", folder / "train.de"}};
  CHECK(find(check_corpus(texts).texts[0], Oddity::equal).pairs == 900);
  texts.training = {{folder / "train.en", folder / "train.de"}};
  texts.validation = texts.training;
  report = check_corpus(texts);
  CHECK(find(report.texts[1], Oddity::overlap).pairs == 900);
  CHECK(contains(warning_lines(report),
                 "900 of 900 pairs (100.00 %) are in the training and in held-out text, "
                 "such as line "));
}

TEST_CASE("check: files of different length are an error, and duplicates go over all of training") {
  const ScratchFolder folder;
  write_clean(folder.path());
  CheckedTexts texts = texts_in(folder.path());
  texts.training.push_back(texts.training[0]);
  texts.validation.clear();
  const CorpusReport report = check_corpus(texts);
  CHECK(find(report.texts[0], Oddity::duplicate).pairs == 0);
  const OddPairs& again = find(report.texts[1], Oddity::duplicate);
  CHECK(again.pairs == 900);
  REQUIRE(again.samples.size() == 10);
  for (const PairSample& sample : again.samples) {
    CHECK(sample.note ==
          "as " + (folder / "train.en").string() + ":" + std::to_string(sample.line));
  }
  texts.training[0].target = folder / "valid.de";
  CHECK_THROWS_WITH(check_corpus(texts), doctest::Contains("expected equally many lines"));
}

TEST_CASE("check: a side in a language that is not known has no lines in another one") {
  const ScratchFolder folder;
  const auto report_of = [&](const std::string& ending, int french) {
    std::string english, others;
    for (int i = 0; i < 40; ++i) {
      const std::string number = std::to_string(i);
      english += "This is the house with the number " + number + ".\n";
      others += i < 2            ? "Hij riep: the cat is in the house " + number + ".\n"
                : i < 2 + french ? "Hij riep: le chat est dans la maison " + number + ".\n"
                                 : "Huis nummer " + number + " heeft twintig ramen.\n";
    }
    write_file(folder / "text.en", english);
    write_file(folder / ("text." + ending), others);
    return check_corpus({{{folder / "text.en", folder / ("text." + ending)}}, {}, {}}).texts[0];
  };
  // By its lines, of which few are known; by its name, as that of Spanish, whose lines seem French.
  for (const auto& one :
       std::vector<std::pair<std::string, int>>{{"xx", 3}, {"xx", 17}, {"es", 38}, {"pt_BR", 38}}) {
    CAPTURE(one.first);
    const TextReport text = report_of(one.first, one.second);
    CHECK(text.source_language == "en");
    CHECK(text.target_language.empty());
    CHECK(find(text, Oddity::other_language).pairs == 0);
  }
  for (const char* ending : {"xx", "fr_CA", "fr"}) {
    CHECK(find(report_of(ending, 38), Oddity::other_language).pairs == 2);
  }
}

TEST_CASE("check: scripts that are denser than an alphabet, or have no case, are not odd") {
  const std::string english = "Apply a series of patches from a mailbox",
                    chinese = "应用邮箱格式的系列补丁";
  CHECK(facts_of(english).weight == 40);
  CHECK(facts_of(chinese).characters == 11);
  CHECK(facts_of(chinese).weight == 33);
  CHECK(facts_of("\xED\x95\x9C a").weight == 4);  // a syllable of Hangul
  const ScratchFolder folder;
  write_file(folder / "a.en", english + "\n" + english + english + english + "\n");
  write_file(folder / "a.zh", chinese + "\n" + chinese + "\n");
  const TextReport text = check_corpus({{{folder / "a.en", folder / "a.zh"}}, {}, {}}).texts[0];
  CHECK(lines_of_findings(text)["ratio"] == Lines{2});
  CHECK(find(text, Oddity::ratio).samples[0].note == "120 and 11 characters");
  CHECK_FALSE(facts_of("リンクに nofollow を追加する").is_lower_cased);
  CHECK_FALSE(facts_of(chinese).is_lower_cased);
  CHECK(facts_of("der hund bellt").is_lower_cased);
  CHECK_FALSE(facts_of("Der hund bellt").is_lower_cased);
}

TEST_CASE("check: a pipe, which cannot be read again, is refused at once") {
  const ScratchFolder folder;
  write_clean(folder.path());
  REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
  for (const bool is_source : {true, false}) {
    CheckedTexts texts = texts_in(folder.path());
    (is_source ? texts.training[0].source : texts.training[0].target) = folder / "pipe";
    texts.validation.clear();
    CHECK_THROWS_WITH(check_corpus(texts),
                      doctest::Contains("expected a file that can be read more than once"));
  }
}

TEST_CASE("check: what is markup, what is broken, what is tokenised") {
  CHECK(markup_in("a <br/> b") == "<br/>");
  CHECK(markup_in("a </x> b").empty() == false);
  CHECK(markup_in("x &#39; y") == "&#39;");
  CHECK(markup_in("<!-- no --> y") == "<!-- no -->");
  for (const char* plain :
       {"a < b", "kill <pid>", "#include <stdio.h>", "R&D", "AT&T; more", "a<"}) {
    CAPTURE(plain);
    CHECK(markup_in(plain).empty());
  }
  CHECK(broken_in("na\xC3\x83\xC2\xAFve") == "\xC3\x83\xC2\xAF");
  CHECK(broken_in("a\xC2\x85") == "\xC2\x85");
  CHECK(broken_in("a\x1B[0m") == "\x1B");
  for (const char* plain : {"\xE2\x80\x9ESpa\xC3\x9F\xE2\x80\x9C", "\xC3\x82ge", "ch\xC3\xA2teau",
                            "a\tb", "\xC3\x83", "5 \xE2\x82\xAC", "\xC3\xA2\xE2\x82\xAC"}) {
    CAPTURE(plain);
    CHECK(broken_in(plain).empty());
  }
  CHECK(tokenised_in("it ends .") == "ends .");
  for (const char* plain :
       {"it ends.", "well ...", ". so", "a .NET word", "3.5 , "[0] ? "3,5" : ""}) {
    CAPTURE(plain);
    CHECK(tokenised_in(plain).empty());
  }
  // The same letters and numbers: known again but for case, spaces and marks.
  CHECK(facts_of("It's 5 o'clock!").normalised == facts_of("its 5 O CLOCK").normalised);
  CHECK(facts_of("\xC3\x84 b").normalised == facts_of("\xC3\xA4"
                                                      "B.")
                                                 .normalised);
  CHECK(facts_of("?!").normalised != facts_of("!?").normalised);
  CHECK(facts_of(" a b ").exact == facts_of("a b").exact);
  CHECK(facts_of("a b").exact != facts_of("a  b").exact);
}

TEST_CASE("check: samples are drawn from all pairs, the same ones each time") {
  PairSamples samples(10), again(10);
  for (std::int64_t line = 1; line <= 10000; ++line) {
    const auto make = [&] { return PairSample{line, "", "", ""}; };
    samples.add(line, make);
    if (line % 2 == 0) again.add(line, make);
  }
  CHECK(samples.count() == 10000);
  const auto drawn = samples.samples();
  REQUIRE(drawn.size() == 10);
  CHECK(std::is_sorted(drawn.begin(), drawn.end(),
                       [](const auto& a, const auto& b) { return a.line < b.line; }));
  CHECK(drawn.front().line < 5000);
  CHECK(drawn.back().line > 5000);
  LineTable table;
  for (std::uint64_t hash = 0; hash < 5000; ++hash)
    CHECK(table.put(hash << 32, 7 + hash) == 7 + hash);
  CHECK(table.put(std::uint64_t{4321} << 32, 1) == 7 + 4321);
  CHECK(table.find(3) == nullptr);
}
