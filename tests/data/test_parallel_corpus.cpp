#include <doctest/doctest.h>
#include <omp.h>

#include <string>

#include "data/corpora/parallel_corpus.h"
#include "data/tokenizers/sentencepiece_tokenizer.h"
#include "tensor/error.h"
#include "tests/data/tiny_text.h"
#include "tests/support.h"

namespace kette {
namespace {

using testing::contains;
using testing::message_of;
using Ids = std::vector<std::int32_t>;

struct CorpusFixture {
  testing::TinyText text = testing::tiny_text();
  TextLines source = text.source_lines(), target = text.target_lines();
  SharedTokenizer tokenizer = testing::tiny_tokenizer(source, target);

  ParallelCorpus corpus(const std::string& source_text, const std::string& target_text,
                        const FilterOptions& options = {}) const {
    return ParallelCorpus::from_lines(TextLines(source_text, "a.en"), "a.en",
                                      TextLines(target_text, "a.de"), "a.de", tokenizer, options);
  }
};

TEST_CASE_FIXTURE(CorpusFixture, "a corpus holds the encoded pairs in order") {
  const testing::ScratchFolder folder;
  testing::write_file(folder / "en", text.source);
  testing::write_file(folder / "de", text.target);
  const ParallelCorpus corpus = ParallelCorpus::load(folder / "en", folder / "de", tokenizer);
  REQUIRE(corpus.size() == source.size());
  std::int64_t tokens = 0;
  for (std::int64_t i = 0; i < corpus.size(); ++i) {
    CHECK(corpus.read(i).source == tokenizer->encode(source[i]));
    CHECK(corpus.read(i).target == tokenizer->encode(target[i]));
    tokens += corpus.lengths(i).source;
  }
  CHECK(PairLists(corpus).sources().tokens() == tokens);
  CHECK(corpus.report().text() == "150 sentence pairs read, 150 kept, 0 dropped");
}

TEST_CASE_FIXTURE(CorpusFixture,
                  "pair encoder: a text part by part, with lines passed over, is the text") {
  const testing::ScratchFolder folder;
  std::string sources = text.source, targets = text.target;
  testing::write_file(folder / "en", sources.insert(sources.find('\n') + 1, "\n"));
  testing::write_file(folder / "de", targets.insert(targets.find('\n') + 1, "leer\n"));
  const ParallelCorpus whole = ParallelCorpus::load(folder / "en", folder / "de", tokenizer);
  CHECK(whole.report().empty.examples.front().line == 2);
  for (const std::int64_t skipped : {0, 1, 2, 50, 150}) {
    CAPTURE(skipped);
    PairEncoder encoder({folder / "en", folder / "de"}, tokenizer, {});
    CHECK(encoder.skip(skipped) == skipped);
    // The second line gives no pair.
    std::int64_t pair = skipped - (skipped > 1 ? 1 : 0), read = 0;
    const auto take = [&](const Ids& english, const Ids& german) {
      CHECK(whole.read(pair).source == english);
      CHECK(whole.read(pair).target == german);
      ++pair;
    };
    while (const std::int64_t more = encoder.encode(take, 40).read) read += more;
    CHECK(read == 151 - skipped);
    CHECK(pair == whole.size());
    CHECK(encoder.skip(10) == 0);
  }
  PairEncoder encoder({folder / "en", folder / "de"}, tokenizer, {});
  encoder.skip(1);
  CHECK(encoder.encode([](const Ids&, const Ids&) {}, 1).empty.examples.front().line == 2);
  // Where one text ends before the other, all that is there is counted.
  testing::write_file(folder / "de", text.target);
  PairEncoder unequal({folder / "en", folder / "de"}, tokenizer, {});
  CHECK(contains(message_of([&] { unequal.encode([](const Ids&, const Ids&) {}, 1000); }),
                 "expected equally many lines, given 151 and 150"));
  PairEncoder passed({folder / "en", folder / "de"}, tokenizer, {});
  CHECK(contains(message_of([&] { passed.skip(1000); }), "given 151 and 150"));
}

TEST_CASE_FIXTURE(CorpusFixture, "filters drop what they are told and report where") {
  std::string many;
  for (int i = 0; i < 40; ++i) many += "the bridge ";
  const std::string source_text = "she sees it .\n\n" + many + "\nthe bridge\n   \n";
  const std::string target_text = "sie sieht es .\nes\nes\ndie Brücke\nes\n";

  FilterOptions options;
  options.max_length = 30;
  const ParallelCorpus filtered = corpus(source_text, target_text, options);
  CHECK(filtered.size() == 2);
  CHECK(filtered.read(1).target == tokenizer->encode("die Brücke"));
  const FilterReport& report = filtered.report();
  CHECK(report.read == 5);
  CHECK(report.kept == 2);
  CHECK(report.empty.count == 2);
  CHECK(report.too_long.count == 1);
  CHECK(report.empty.examples.at(0).line == 2);
  CHECK(report.empty.examples.at(1).line == 5);
  CHECK(report.too_long.examples.at(0).line == 3);
  CHECK(contains(report.text(), "5 sentence pairs read, 2 kept, 3 dropped"));
  CHECK(contains(report.text(), "\n  2 with an empty side: line 2 (0 and "));
  CHECK(contains(report.text(), "\n  1 longer than 30 tokens: line 3 ("));

  options = {};
  CHECK(corpus(source_text, target_text, options).size() == 3);
  options.max_ratio = 4;
  CHECK(corpus(source_text, target_text, options).report().ratio.count == 1);
}

TEST_CASE_FIXTURE(CorpusFixture,
                  "lines that follow each other are joined, one, two and three in turn") {
  FilterOptions options;
  options.join_lines = 3;
  const std::string lines = "es\nsie sieht\nes sieht\nes\nes es\nsieht\n\nsie\nes\nsieht\nsie\n";
  const ParallelCorpus joined = corpus(lines, lines, options);
  const char* expected[] = {"es", "sie sieht es sieht", "es es es sieht", "sie", "es sieht", "sie"};
  REQUIRE(joined.size() == 6);
  for (std::int64_t i = 0; i < 6; ++i) {
    CHECK(joined.read(i).source == tokenizer->encode(expected[i]));
    CHECK(joined.read(i).target == tokenizer->encode(expected[i]));
  }
  CHECK(
      contains(joined.report().text(),
               "11 sentence pairs read, 10 kept, 1 dropped; joined to 6 pairs of at most 3 lines"));
  options.max_length = static_cast<std::int64_t>(tokenizer->encode("sie sieht es").size());
  const ParallelCorpus shorter = corpus(lines, lines, options);
  CHECK(shorter.report().kept == 10);
  for (std::int64_t i = 0; i < shorter.size(); ++i) {
    CHECK(shorter.lengths(i).source <= options.max_length);
  }
  CHECK(PairLists(shorter).sources().tokens() == PairLists(joined).sources().tokens());
  options.join_lines = 0;
  CHECK_THROWS_AS(corpus(lines, lines, options), Error);
}

TEST_CASE_FIXTURE(CorpusFixture, "a length or ratio at the limit passes") {
  const auto length = static_cast<std::int64_t>(tokenizer->encode("the bridge the bridge").size());
  FilterOptions options;
  options.max_length = length;
  options.max_ratio = 2;
  REQUIRE(static_cast<std::int64_t>(tokenizer->encode("the bridge").size()) * 2 == length);
  CHECK(corpus("the bridge the bridge\n", "the bridge\n", options).size() == 1);
  options.max_length = length - 1;
  CHECK_THROWS_AS(corpus("the bridge the bridge\n", "the bridge\n", options), Error);
}

TEST_CASE_FIXTURE(CorpusFixture, "files of different length: both counts are named") {
  const std::string message = message_of([&] { corpus("a\nb\nc\n", "a\nb\n"); });
  CHECK(contains(message, "a.en and a.de: expected equally many lines, given 3 and 2"));
}

TEST_CASE_FIXTURE(CorpusFixture,
                  "a corpus of nothing but dropped pairs is an error with the report") {
  const std::string message = message_of([&] { corpus("\n\n", "es\nes\n"); });
  CHECK(contains(message,
                 "a.en and a.de: expected sentence pairs that pass the filters, given none"));
  CHECK(contains(message, "2 with an empty side: line 1"));
}

TEST_CASE_FIXTURE(CorpusFixture, "limits that make no sense are refused") {
  FilterOptions options;
  options.max_length = 0;
  CHECK_THROWS_AS(corpus("es\n", "es\n", options), Error);
  options = {};
  options.max_ratio = 0.5;
  CHECK_THROWS_AS(corpus("es\n", "es\n", options), Error);
}

TEST_CASE_FIXTURE(CorpusFixture, "a line of a million characters is dropped, with its number") {
  const std::string million(1'000'000, 'e');
  const ParallelCorpus filtered = corpus("es\n" + million + "\n", "es\nes\n");
  CHECK(filtered.size() == 1);
  CHECK(filtered.report().too_long.examples.at(0).line == 2);
}

TEST_CASE("Multi30k: everything is kept, and nothing depends on threads") {
  const auto data = testing::shared_data();
  if (!data) {
    MESSAGE("skipped: no shared data");
    return;
  }
  const auto folder = *data / "multi30k" / "lc-tok";
  SentencePieceOptions options;
  options.vocabulary = 1000;
  const SharedTokenizer tokenizer =
      SentencePieceTokenizer::train_files({folder / "val.en", folder / "val.de"}, options);
  const int threads = omp_get_max_threads();
  omp_set_num_threads(1);
  const auto one = ParallelCorpus::load(folder / "val.en", folder / "val.de", tokenizer);
  omp_set_num_threads(4);
  const auto four = ParallelCorpus::load(folder / "val.en", folder / "val.de", tokenizer);
  omp_set_num_threads(threads);
  CHECK(one.size() == 1014);
  REQUIRE(four.size() == one.size());
  for (std::int64_t i = 0; i < one.size(); ++i) {
    REQUIRE(one.read(i).source == four.read(i).source);
    REQUIRE(one.read(i).target == four.read(i).target);
    const std::string line = tokenizer->decode(one.read(i).target);
    REQUIRE(tokenizer->resegment(tokenizer->encode(line), 0, 1) == one.read(i).target);
  }
}

}  // namespace
}  // namespace kette
