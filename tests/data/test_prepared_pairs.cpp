// A folder of pairs: what is trained on is what the texts give, whatever ended the preparation, and whoever made which part.
#include <doctest/doctest.h>

#include <map>

#include "data/corpora/batch_sampler.h"
#include "data/corpora/prepared_pairs.h"
#include "data/tokenizers/sentencepiece_tokenizer.h"
#include "tests/data/tiny_text.h"
#include "tests/support.h"

namespace kette {
namespace {

namespace fs = std::filesystem;
using testing::contains;
using testing::message_of;

struct PreparedFixture {
  PreparedFixture() {
    const testing::TinyText text = testing::tiny_text();
    testing::write_file(scratch / "en", text.source + "\n");  // the last line is no pair
    testing::write_file(scratch / "de", text.target + "leer\n");
    testing::write_file(scratch / "en2", "it sees the bridge .\nshe\n");
    testing::write_file(scratch / "de2", "es sieht die Brücke .\nsie\n");
    SentencePieceOptions settings;
    settings.vocabulary = 200;
    tokenizer = SentencePieceTokenizer::train_files({scratch / "en", scratch / "de"}, settings);
    options.lines_a_shard = 40;
    fs::create_directory(folder);
  }

  PreparedPairs make(const std::vector<ParallelText>& texts) const {
    return prepare_pairs(folder, texts, tokenizer, options);
  }
  void make_and_save(const std::vector<ParallelText>& texts) const { make(texts).save(folder); }
  std::vector<ParallelCorpus> read() const {
    std::vector<ParallelCorpus> corpora;
    for (const ParallelText& text : prepared_texts(folder)) {
      corpora.push_back(prepared_corpus(text, tokenizer, 100));
    }
    return corpora;
  }
  /// Their text, by name.
  std::map<std::string, std::string> files() const { return testing::files_in(folder); }

  testing::ScratchFolder scratch;
  fs::path folder = scratch / "pairs";
  ParallelText first{scratch / "en", scratch / "de"}, second{scratch / "en2", scratch / "de2"};
  SharedTokenizer tokenizer;
  PrepareOptions options;
};

void check_equal(const PairStore& a, const PairStore& b) {
  REQUIRE(a.size() == b.size());
  for (std::int64_t pair = 0; pair < a.size(); ++pair) {
    CHECK(a.read(pair).source == b.read(pair).source);
    CHECK(a.read(pair).target == b.read(pair).target);
    CHECK(a.lengths(pair).source == b.lengths(pair).source);
  }
}

TEST_CASE_FIXTURE(PreparedFixture, "prepared pairs: the pairs of the texts, each of them a part") {
  make_and_save({first, second});
  CHECK(files().size() == 6);  // four shards and one, and the list
  const std::vector<ParallelCorpus> corpora = read();
  REQUIRE(corpora.size() == 2);
  for (std::size_t i = 0; i < 2; ++i) {
    const ParallelCorpus plain = ParallelCorpus::load(i == 0 ? first : second, tokenizer, {});
    check_equal(corpora[i], plain);
    CHECK(corpora[i].report().kept == plain.report().kept);
    CHECK(corpora[i].report().empty.count == plain.report().empty.count);
    CHECK(corpora[i].ends_of_parts() == std::vector<std::int64_t>{plain.size()});
  }
  const PreparedPairs list = PreparedPairs::of(folder);
  CHECK(list.texts[0].lines == 151);
  CHECK(list.texts[0].source_bytes == static_cast<std::int64_t>(fs::file_size(scratch / "en")));
  CHECK(list.texts[1].target_bytes == static_cast<std::int64_t>(fs::file_size(scratch / "de2")));
  CHECK(list.texts[1].counts == text_counts(second, *tokenizer));
  CHECK(prepared_facts(prepared_texts(folder), true) ==
        text_facts({first, second}, true, *tokenizer));
  std::string without = testing::read_file(folder / "pairs.json");
  const std::size_t sign = without.find("\"hundredths\": \"") + 15;
  without.insert(sign, "1:0 ");
  testing::write_file(folder / "pairs.json", without);
  CHECK(contains(message_of([&] { read(); }), "expected each value once, with its lines"));
}

TEST_CASE_FIXTURE(PreparedFixture,
                  "prepared pairs: what was ended goes on, and what is damaged is made again") {
  make_and_save({first});
  const auto whole = files();
  fs::remove(folder / "pairs.json");
  fs::remove(folder / "text-1-00002.tokens");
  std::string damaged = whole.at("text-1-00003.tokens");
  damaged[4100] ^= 8;
  testing::write_file(folder / "text-1-00003.tokens", damaged);
  const auto before = fs::last_write_time(folder / "text-1-00001.tokens");
  make_and_save({first});
  CHECK(files() == whole);
  CHECK(fs::last_write_time(folder / "text-1-00001.tokens") == before);

  testing::write_file(folder / "text-1-00003.tokens", damaged);
  const ParallelCorpus corpus = read().front();
  CHECK(corpus.read(0).source.size() > 0);
  CHECK(contains(message_of([&] { corpus.read(85); }), "text-1-00003.tokens: expected bytes 0 to"));
  // Another shard of a name is one of another text.
  fs::copy_file(folder / "text-1-00001.tokens", folder / "text-1-00002.tokens",
                fs::copy_options::overwrite_existing);
  make_and_save({first});
  CHECK(files() == whole);
}

TEST_CASE_FIXTURE(PreparedFixture, "prepared pairs: of several processes each makes its shards") {
  make_and_save({first, second});
  const auto whole = files();
  fs::remove_all(folder);
  fs::create_directory(folder);
  options.shards.processes = 3;
  std::size_t made = 0;
  for (options.shards.process = 0; options.shards.process < 3; ++options.shards.process) {
    const PreparedPairs prepared = make({first, second});
    CHECK(files().size() > made);
    made = files().size();
    if (options.shards.process == 2) prepared.save(folder);
  }
  CHECK(files() == whole);
}

TEST_CASE_FIXTURE(PreparedFixture,
                  "prepared pairs: texts are added, and no others take their place") {
  make_and_save({first});
  const auto before = files();
  CHECK(
      contains(message_of([&] { make({second}); }), "expected the 1 texts that its pairs are of"));
  CHECK(contains(message_of([&] { make({first, second}); }), "(--append adds texts to them)"));
  options.shards.appends = true;
  make_and_save({second});
  CHECK(read().size() == 2);
  CHECK(files().at("text-1-00001.tokens") == before.at("text-1-00001.tokens"));
  const auto both = files();
  make_and_save({second});  // as if it had not been known to be done
  CHECK(files() == both);
  options.shards.appends = false;
  make_and_save({first, second});
  CHECK(files() == both);
  // Which pairs repeat those that are there is not known.
  const fs::path of_other = folder;
  folder = scratch / "no duplicates";
  fs::create_directory(folder);
  options.filters.odd.oddities = {Oddity::duplicate};
  make_and_save({first});
  make_and_save({first});
  options.shards.appends = true;
  make_and_save({first});  // which adds nothing
  CHECK(contains(
      message_of([&] { make({second}); }),
      "expected no filter \"duplicate\" beside --append, which does not look at the pairs"));
  options.filters.odd.oddities.clear();
  options.shards.appends = false;
  folder = of_other;

  options.filters.max_length = 9;
  CHECK(contains(message_of([&] { make({first, second}); }), "expected the filters of the pairs"));
  options.filters = {};
  SentencePieceOptions settings;
  settings.vocabulary = 190;
  tokenizer = SentencePieceTokenizer::train_files({scratch / "en", scratch / "de"}, settings);
  CHECK(contains(message_of([&] {
                   make({first, second});
                 }),
                 "expected the tokenizer that its pairs"));
  CHECK(contains(message_of([&] { read(); }), "expected pairs of the tokenizer"));
}

TEST_CASE_FIXTURE(
    PreparedFixture,
    "prepared pairs: BPE-dropout makes none longer than the model has positions for") {
  make_and_save({first, second});
  std::vector<ParallelCorpus> corpora = read();
  std::int64_t longest = 0;
  for (std::int64_t pair = 0; pair < corpora[0].size(); ++pair) {
    const PairLengths lengths = corpora[0].lengths(pair);
    longest = std::max({longest, lengths.source, lengths.target});
  }
  corpora.clear();
  for (const ParallelText& text : prepared_texts(folder)) {
    corpora.push_back(prepared_corpus(text, tokenizer, longest));
    CHECK(corpora.back().report().options.longest() == longest);
  }
  const ParallelCorpus corpus = ParallelCorpus::joined(corpora);
  BatchSampler sampler(corpus, {.tokens_per_batch = 100, .bpe_dropout = 0.9});
  std::int64_t drawn = 0;
  while (sampler.state().epoch == 0) {
    const Batch batch = sampler.next();
    for (const Segments& side : {batch.source_segments, batch.target_segments}) {
      for (std::int64_t i = 0; i < side.count(); ++i) {
        CHECK(side.length(i) <= longest + 1);  // with the end mark
        drawn = std::max(drawn, side.length(i));
      }
    }
  }
  CHECK(drawn > longest - 3);
}

TEST_CASE_FIXTURE(PreparedFixture,
                  "prepared pairs: what does not fit, or is no such folder, is told") {
  CHECK(contains(message_of([&] { read(); }), "expected a folder of pairs, which kette tokenize"));
  make_and_save({first});
  const ParallelText text = prepared_texts(folder).front();
  CHECK(contains(message_of([&] { prepared_corpus(text, tokenizer, 3); }),
                 "expected at most 3 tokens, as many as the model has positions for"));
  testing::write_file(folder / "pairs.json", "{\"tokenizer\": 3}");
  CHECK(contains(message_of([&] { read(); }), "expected what kette tokenize wrote"));
}

}  // namespace
}  // namespace kette
