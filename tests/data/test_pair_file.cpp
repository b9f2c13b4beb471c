// Pairs as ids on disk come back as they were, whatever the text; something else does not.
#include <doctest/doctest.h>

#include "data/corpora/pair_file.h"
#include "data/corpora/parallel_corpus.h"
#include "data/tokenizers/sentencepiece_tokenizer.h"
#include "tests/data/tiny_text.h"
#include "tests/support.h"

namespace kette {
namespace {

namespace fs = std::filesystem;
using testing::contains;
using testing::message_of;
using testing::ScratchFolder;
using Ids = std::vector<std::int32_t>;

TEST_CASE("pair file: sentences of any length, empty ones too, and the report") {
  const ScratchFolder folder;
  for (const std::int64_t vocabulary : {300, 80'000}) {
    PairFileWriter writer(folder / "pairs", vocabulary, 3);
    std::vector<std::pair<Ids, Ids>> pairs = {
        {{5, 6, 7}, {8}}, {{}, {9}}, {{10}, {}}, {{}, {}}, {Ids(3000, 11), Ids(2000, 299)}};
    if (vocabulary == 300)
      pairs.push_back({Ids(65'534, 9), Ids(65'535, 8)});  // either side of 16 bits
    for (std::int32_t i = 0; i < 200; ++i)
      pairs.push_back({Ids(i % 7, 20 + i), Ids(i % 5, 21 + i)});
    for (const auto& [source, target] : pairs) writer.add(source, target);
    FilterReport report;
    report.options.max_length = 77;
    report.options.max_ratio = 2.5;
    report.options.join_lines = 3;
    report.read = 9;
    report.kept = 5;
    report.pairs = 2;
    report.too_long = {4, {{2, 80, 90}, {5, 100, 3}}};
    writer.finish("text", report);
    const std::shared_ptr<const PairFile> file = PairFile::find(folder / "pairs", "text");
    REQUIRE(file);
    REQUIRE(file->size() == std::ssize(pairs));
    for (std::int64_t i = 0; i < file->size(); ++i) {
      const auto& [source, target] = pairs[i];
      const PairIds read = file->read(i);
      CHECK(read.source == source);
      CHECK(read.target == target);
      CHECK(file->lengths(i).source == std::ssize(source));
      CHECK(file->lengths(i).target == std::ssize(target));
    }
    CHECK(file->report().text() == report.text());
    CHECK_FALSE(PairFile::find(folder / "pairs", "other text"));
    CHECK_FALSE(PairFile::find(folder / "none", "text"));
  }
  PairFileWriter writer(folder / "pairs", 300, 3);
  CHECK(contains(message_of([&] { writer.add(Ids{5, 3}, Ids{4}); }), "without their end mark"));
}

TEST_CASE("pair file: a corpus read from it is the corpus of the text") {
  const ScratchFolder folder;
  const testing::TinyText text = testing::tiny_text();
  testing::write_file(folder / "en", text.source + "\nword\n");
  testing::write_file(folder / "de", text.target + "wort\n\n");
  SentencePieceOptions settings;
  settings.vocabulary = 200;
  const SharedTokenizer tokenizer =
      SentencePieceTokenizer::train_files({folder / "en", folder / "de"}, settings);
  FilterOptions filters;
  filters.max_length = 20;
  const ParallelCorpus plain =
      ParallelCorpus::load(folder / "en", folder / "de", tokenizer, filters);
  const auto load = [&](const FilterOptions& with) {
    return ParallelCorpus::load_or_make(folder / "pairs", {folder / "en", folder / "de"}, tokenizer,
                                        with);
  };
  for (int i = 0; i < 2; ++i) {
    const ParallelCorpus corpus = load(filters);
    REQUIRE(corpus.size() == plain.size());
    for (std::int64_t pair = 0; pair < plain.size(); ++pair) {
      CHECK(corpus.read(pair).source == plain.read(pair).source);
      CHECK(corpus.read(pair).target == plain.read(pair).target);
    }
    CHECK(corpus.report().text() == plain.report().text());
  }
  // What is damaged is made again, wherever the damage is.
  const std::string whole = testing::read_file(folder / "pairs");
  for (const std::size_t at : {std::size_t{30}, std::size_t{5000}, whole.size() - 1}) {
    std::string damaged = whole;
    damaged[at] ^= 4;
    testing::write_file(folder / "pairs", damaged);
    CHECK(load(filters).size() == plain.size());
    CHECK(testing::read_file(folder / "pairs") == whole);
  }
  filters.max_length = 10;
  CHECK(load(filters).size() < plain.size());
  filters.max_length = 20;
  testing::write_file(folder / "en", "another\n");
  CHECK(contains(message_of([&] { load(filters); }), "expected equally many lines, given 1 and"));
  testing::write_file(folder / "de", "anderes\n");
  CHECK(load(filters).size() == 1);
}

}  // namespace
}  // namespace kette
