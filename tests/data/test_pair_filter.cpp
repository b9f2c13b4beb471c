// Of a corpus with planted oddities, what is asked for is left out and nothing else, whoever made which part.
#include <doctest/doctest.h>

#include <map>
#include <set>

#include "data/corpora/prepared_pairs.h"
#include "data/tokenizers/sentencepiece_tokenizer.h"
#include "tests/data/planted_corpus.h"
#include "tests/data/tiny_text.h"

namespace kette {
namespace {

namespace fs = std::filesystem;
using testing::contains;
using testing::count_of;
using testing::message_of;

struct FilterFixture {
  FilterFixture() {
    testing::write_planted(scratch.path());
    SentencePieceOptions settings;
    settings.vocabulary = 300;
    std::vector<std::string_view> lines;
    const auto pairs = testing::clean_pairs();
    for (const auto& pair : pairs) {
      lines.push_back(pair.english);
      lines.push_back(pair.german);
    }
    tokenizer = SentencePieceTokenizer::train(lines, settings);
    options.lines_a_shard = 90;
    fs::create_directory(folder);
  }

  PreparedPairs make() { return prepare_pairs(folder, texts, tokenizer, options); }
  std::vector<FilterReport> make_and_report() {
    make().save(folder);
    std::vector<FilterReport> reports;
    for (const ParallelText& text : prepared_texts(folder)) {
      reports.push_back(prepared_corpus(text, tokenizer, 1000).report());
    }
    return reports;
  }
  std::map<std::string, std::string> files() const { return testing::files_in(folder); }

  testing::ScratchFolder scratch;
  fs::path folder = scratch / "pairs";
  std::vector<ParallelText> texts{{scratch / "train.en", scratch / "train.de"}};
  SharedTokenizer tokenizer;
  PrepareOptions options;
};

const OddPairs& of(const FilterReport& report, Oddity oddity) {
  for (const OddPairs& one : report.odd) {
    if (one.oddity == oddity) return one;
  }
  fail("not asked for");
}

std::set<std::int64_t> lines_of(const OddPairs& pairs) {
  std::set<std::int64_t> lines;
  for (const PairSample& sample : pairs.samples) lines.insert(sample.line);
  return lines;
}

TEST_CASE_FIXTURE(FilterFixture, "pair filter: planted pairs are left out, and nothing else is") {
  // Unwritable before markup: the vocabulary has neither < nor &.
  options.filters.odd.oddities = {Oddity::duplicate,      Oddity::equal,   Oddity::swapped,
                                  Oddity::other_language, Oddity::ratio,   Oddity::unwritable,
                                  Oddity::markup,         Oddity::encoding};
  const FilterReport report = make_and_report().front();
  CHECK(report.read == 900);
  const std::map<Oddity, std::set<std::int64_t>> expected = {
      {Oddity::equal, {131, 132}},
      {Oddity::swapped, {141, 142, 143, 144}},
      {Oddity::other_language, {151, 152, 153}},
      {Oddity::ratio, {161}},
      {Oddity::unwritable, {181, 182, 183, 191, 194, 221}},
      {Oddity::markup, {}},
      {Oddity::encoding, {192, 193}}};
  std::int64_t left_out = 0;
  for (const OddPairs& one : report.odd) left_out += one.pairs;
  for (const auto& [oddity, lines] : expected) {
    CHECK(lines_of(of(report, oddity)) == lines);
    CHECK(of(report, oddity).pairs == std::ssize(lines));
  }
  // Ten samples of twelve.
  CHECK(of(report, Oddity::duplicate).pairs == 12);
  CHECK(of(report, Oddity::duplicate).samples.size() == 10);
  CHECK(of(report, Oddity::duplicate).samples[0].note.starts_with("as line "));
  CHECK(of(report, Oddity::swapped).samples[0].note == "in de and en");
  // Three have an empty side, which is a filter of its own, always on.
  CHECK(report.empty.count == 3);
  CHECK(report.kept == 900 - left_out - 3);
  CHECK(contains(report.text(), "12 that repeat an earlier pair"));
}

TEST_CASE_FIXTURE(FilterFixture, "pair filter: shards, processes and a kill change nothing") {
  testing::write_file(scratch / "more.en",
                      testing::read_file(scratch / "train.en").substr(0, 4000));
  std::string german;
  const std::string english = testing::read_file(scratch / "more.en"),
                    all = testing::read_file(scratch / "train.de");
  for (std::size_t at = 0, lines = count_of(english, "\n") + 1; lines > 0; --lines) {
    const std::size_t end = all.find('\n', at) + 1;
    german += all.substr(at, end - at);
    at = end;
  }
  testing::write_file(scratch / "more.de", german);
  texts.push_back({scratch / "more.en", scratch / "more.de"});
  options.filters.odd.oddities = {Oddity::duplicate, Oddity::encoding};
  const std::vector<FilterReport> reports = make_and_report();
  // All of the second text came in the first, but for the line that was cut in two.
  CHECK(reports[1].kept <= 1);
  CHECK(of(reports[1], Oddity::duplicate)
            .samples[0]
            .note.starts_with("as " + (scratch / "train.en").string() + ":"));
  const auto whole = files();

  fs::remove(folder / "pairs.json");
  fs::remove(folder / "text-1-00002.tokens");
  fs::remove(folder / "text-2-00001.tokens");
  make().save(folder);
  CHECK(files() == whole);

  fs::remove_all(folder);
  fs::create_directory(folder);
  options.shards.processes = 3;
  for (options.shards.process = 0; options.shards.process < 3; ++options.shards.process) {
    const PreparedPairs prepared = make();
    if (options.shards.process == 2) prepared.save(folder);
  }
  CHECK(files() == whole);
  options.shards.processes = 1;
  options.shards.process = 0;

  // Which pairs repeat others is up to the texts before, too, and so is whether a shard is the one that is wanted.
  fs::remove(folder / "pairs.json");
  std::swap(texts[0], texts[1]);
  CHECK(make_and_report()[0].kept > 10);
  std::swap(texts[0], texts[1]);
  fs::remove(folder / "pairs.json");
  make().save(folder);
  const auto now = files();
  for (const auto& [name, bytes] : whole) CHECK(now.at(name) == bytes);

  // One folder has pairs of one filter.
  options.filters.odd.oddities = {Oddity::duplicate};
  CHECK(contains(
      message_of([&] { make(); }),
      "expected the pairs that it has to be without duplicate, encoding, given without duplicate"));
}

TEST_CASE_FIXTURE(FilterFixture, "pair filter: what is held out is not learnt from") {
  options.filters.odd = {{Oddity::encoding, Oddity::overlap}, {}};
  CHECK(contains(message_of([&] { make(); }), "expected texts that are held out"));
  options.filters.odd.held_out = {{scratch / "valid.en", scratch / "valid.de"}};
  CHECK(lines_of(of(make_and_report()[0], Oddity::overlap)) == std::set<std::int64_t>{20});
  const auto lines_without = [&](Oddity oddity) {
    fs::remove_all(folder);
    fs::create_directory(folder);
    options.filters.odd.oddities = {Oddity::encoding, oddity};
    return lines_of(of(make_and_report()[0], oddity));
  };
  CHECK(lines_without(Oddity::overlap_normalised) == std::set<std::int64_t>{20, 21});
  CHECK(lines_without(Oddity::overlap_side) == std::set<std::int64_t>{20, 21, 22});
}

TEST_CASE_FIXTURE(FilterFixture,
                  "pair filter: languages are those of the names, or of most lines") {
  options.filters.odd.oddities = {Oddity::swapped, Oddity::encoding};
  fs::rename(scratch / "train.en", scratch / "a");
  fs::rename(scratch / "train.de", scratch / "b");
  texts = {{scratch / "a", scratch / "b"}};
  CHECK(of(make_and_report()[0], Oddity::swapped).pairs == 4);
  fs::remove_all(folder);
  fs::create_directory(folder);
  testing::write_file(scratch / "c.xx", "1 2 3\n");
  texts = {{scratch / "c.xx", scratch / "c.xx"}};
  CHECK(contains(message_of([&] { make(); }), "expected a side in English, German or French"));
}

TEST_CASE_FIXTURE(FilterFixture,
                  "pair filter: a language that is not known is not taken for one that is") {
  options.filters.odd.oddities = {Oddity::other_language};
  std::string english, dutch;
  for (int i = 0; i < 40; ++i) {
    english += "This is the house with the number " + std::to_string(i) + ".\n";
    dutch += i < 3   ? "Hij riep: le chat est dans la maison.\n"
             : i < 5 ? "Hij riep: the cat is in the house.\n"
                     : "Huis nummer " + std::to_string(i) + " heeft twintig ramen.\n";
  }
  testing::write_file(scratch / "a.en", english);
  testing::write_file(scratch / "a.nl", dutch);
  texts = {{scratch / "a.en", scratch / "a.nl"}};
  CHECK(of(make_and_report()[0], Oddity::other_language).pairs == 0);
}

TEST_CASE_FIXTURE(FilterFixture, "pair filter: a broken line is an error, unless it is filtered") {
  options.filters.odd.oddities = {Oddity::duplicate};
  CHECK(contains(message_of([&] { make(); }), "train.de:192:11: expected UTF-8"));
}

}  // namespace
}  // namespace kette
