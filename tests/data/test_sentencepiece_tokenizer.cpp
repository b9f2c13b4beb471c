#include <doctest/doctest.h>
#include <omp.h>

#include <algorithm>
#include <set>
#include <string>

#include "data/tokenizers/bpe_dropout.h"
#include "data/tokenizers/sentencepiece_tokenizer.h"
#include "tensor/error.h"
#include "tests/data/tiny_text.h"
#include "tests/support.h"

namespace kette {
namespace {

using testing::contains;
using testing::message_of;
using Ids = std::vector<std::int32_t>;

/// Spaces of every kind, unknown characters, marks that pieces use themselves, combining
/// characters.
constexpr std::string_view kOddTexts[] = {"",
                                          " ",
                                          "日本 sie日本語 日 本",
                                          "<0xE4> <s> </s> <unk>",
                                          "\xE2\x96\x81 \xE2\x96\x81sie\xE2\x96\x81",
                                          "a\tb  c ",
                                          "🙂🙂 🙂",
                                          "sie \xCC\x88 a \xCC\x88",
                                          "a\xC2\xA0sie \xE2\x80\x8B es"};

std::string bytes_of(const SharedTokenizer& tokenizer) { return tokenizer->files().front().second; }

struct Fixture {
  testing::TinyText text = testing::tiny_text();
  TextLines source = text.source_lines(), target = text.target_lines();
  std::vector<std::string_view> lines = testing::joint(source, target);

  SharedTokenizer train(std::int64_t vocab_size, SentencePieceOptions options = {}) const {
    options.vocabulary = vocab_size;
    return SentencePieceTokenizer::train(lines, options);
  }
};

TEST_CASE_FIXTURE(Fixture, "a tokenizer has its size and its special ids") {
  const SharedTokenizer tokenizer = train(200);
  CHECK(tokenizer->vocabulary() == 200);
  CHECK(tokenizer->piece(SpecialTokens{}.pad) == "<pad>");
  CHECK(tokenizer->piece(SpecialTokens{}.unknown) == "<unk>");
  CHECK(tokenizer->piece(SpecialTokens{}.begin) == "<s>");
  CHECK(tokenizer->piece(SpecialTokens{}.end) == "</s>");
  CHECK(tokenizer->is_bpe());
}

TEST_CASE_FIXTURE(Fixture, "decode undoes encode, and merges shorten the text") {
  const SharedTokenizer tokenizer = train(200);
  for (const std::string_view line : lines) {
    const Ids ids = tokenizer->encode(line);
    CHECK(ids.size() < line.size());
    CHECK(tokenizer->decode(ids) == line);
  }
  CHECK(tokenizer->encode("").empty());
  CHECK(tokenizer->encode("  ").empty());
  CHECK(tokenizer->decode(Ids{}) == "");
}

TEST_CASE_FIXTURE(Fixture, "decode passes over padding, begin and end, and refuses other ids") {
  const SharedTokenizer tokenizer = train(200);
  Ids ids = tokenizer->encode("sie sieht es .");
  ids.insert(ids.begin(), SpecialTokens{}.begin);
  ids.insert(ids.end(), {SpecialTokens{}.end, SpecialTokens{}.pad});
  CHECK(tokenizer->decode(ids) == "sie sieht es .");
  CHECK(contains(message_of([&] { tokenizer->decode(Ids{5, 200}); }), "from 0 to 199, given 200"));
  CHECK_THROWS_AS(tokenizer->decode(Ids{-1}), Error);
}

TEST_CASE_FIXTURE(Fixture,
                  "unknown characters: one unknown piece a run, or bytes with the fallback") {
  const Ids ids = train(200)->encode("sie 日本 es");
  CHECK(std::count(ids.begin(), ids.end(), SpecialTokens{}.unknown) == 1);

  SentencePieceOptions options;
  options.byte_fallback = true;
  const SharedTokenizer with_bytes = train(400, options);
  CHECK(with_bytes->decode(with_bytes->encode("sie 日本 es")) == "sie 日本 es");
}

TEST_CASE_FIXTURE(Fixture, "normalisation: NFKC composes, identity leaves characters alone") {
  const SharedTokenizer nfkc = train(200);
  CHECK(nfkc->encode("Ma\xCC\x88"
                     "dchen") == nfkc->encode("Mädchen"));
  SentencePieceOptions options;
  options.normalization = SentencePieceOptions::Normalization::identity;
  const SharedTokenizer identity = train(200, options);
  CHECK(identity->encode("Ma\xCC\x88"
                         "dchen") != identity->encode("Mädchen"));
}

TEST_CASE_FIXTURE(Fixture, "bytes and files hold the whole model") {
  const testing::ScratchFolder folder;
  const SharedTokenizer tokenizer = train(200);
  testing::write_file(folder / "tokenizer.model", bytes_of(tokenizer));
  const SharedTokenizer loaded = load_tokenizer(folder / "tokenizer.model");
  CHECK(bytes_of(loaded) == bytes_of(tokenizer));
  CHECK(loaded->encode_all(lines) == tokenizer->encode_all(lines));
}

TEST_CASE_FIXTURE(Fixture, "training from files equals training from lines, twice the same") {
  const testing::ScratchFolder folder;
  testing::write_file(folder / "en", text.source);
  testing::write_file(folder / "de", text.target);
  SentencePieceOptions options;
  options.vocabulary = 100;
  for (const auto model :
       {SentencePieceOptions::Model::bpe, SentencePieceOptions::Model::unigram}) {
    options.model = model;
    const std::string bytes = bytes_of(SentencePieceTokenizer::train(lines, options));
    CHECK(bytes_of(SentencePieceTokenizer::train(lines, options)) == bytes);
    CHECK(bytes_of(SentencePieceTokenizer::train_files({folder / "en", folder / "de"}, options)) ==
          bytes);
  }
}

TEST_CASE_FIXTURE(Fixture,
                  "of more text than it wants, training takes a sample, the same one each time") {
  const testing::ScratchFolder folder;
  testing::write_file(folder / "en", text.source);
  SentencePieceOptions options;
  options.vocabulary = 80;
  const auto bytes = [&] {
    return bytes_of(SentencePieceTokenizer::train_files({folder / "en"}, options));
  };
  const std::string whole = bytes();
  options.sample_bytes = static_cast<std::int64_t>(text.source.size());
  CHECK(bytes() == whole);
  options.sample_bytes /= 2;
  const std::string half = bytes();
  CHECK(half != whole);
  CHECK(bytes() == half);
}

TEST_CASE_FIXTURE(Fixture, "a vocabulary too large or too small says what is possible") {
  const std::string large = message_of([&] { train(1'000'000'000); });
  INFO(large);
  const auto at = large.find("at most ");
  REQUIRE(at != std::string::npos);
  const std::int64_t largest = std::stoll(large.substr(at + 8));
  CHECK(contains(large, "given 1000000000"));
  CHECK(train(largest)->vocabulary() == largest);
  CHECK_THROWS_AS(train(largest + 1), Error);

  const std::string small = message_of([&] { train(10); });
  INFO(small);
  REQUIRE(contains(small, "at least "));
  const std::int64_t smallest = std::stoll(small.substr(small.find("at least ") + 9));
  CHECK(train(smallest)->vocabulary() == smallest);
  CHECK_THROWS_AS(train(smallest - 1), Error);

  for (const std::string& message : {large, small}) {
    CHECK_FALSE(contains(message, ".cc"));  // SentencePiece's own words name its source files
  }
  CHECK_THROWS_AS(train(0), Error);
  CHECK_THROWS_AS(train(-5), Error);
}

TEST_CASE("text without a usable line cannot train a tokenizer") {
  const std::string long_line(5000, 'a');
  const std::vector<std::string_view> blank{"", "  "}, too_long{long_line}, none;
  for (const auto& lines : {blank, too_long, none}) {
    const std::string message = message_of([&] { SentencePieceTokenizer::train(lines, {}); });
    CHECK(contains(message, "expected lines of text to train on"));
  }
}

TEST_CASE_FIXTURE(Fixture, "what is no tokenizer is refused by name") {
  const testing::ScratchFolder folder;
  const auto path = folder / "tokenizer.model";
  CHECK(contains(message_of([&] { load_tokenizer(path); }), "tokenizer.model: expected"));
  CHECK(contains(message_of([&] { load_tokenizer(folder.path()); }), "one with none of them"));
  const std::string bytes = bytes_of(train(200));
  for (const std::string& content : {std::string(), std::string("junk"), bytes.substr(0, 1000)}) {
    testing::write_file(path, content);
    CHECK(contains(message_of([&] { load_tokenizer(path); }), "expected a SentencePiece model"));
  }
}

TEST_CASE_FIXTURE(Fixture, "a SentencePiece model with a piece that begins with NUL is refused") {
  SentencePieceOptions options;
  options.vocabulary = 100;
  options.model = SentencePieceOptions::Model::unigram;
  std::string bytes = bytes_of(SentencePieceTokenizer::train(lines, options));
  const std::string start = "\n\x09\n\x02";  // of a piece of two bytes, in protocol buffers
  const std::size_t at = bytes.find(start);
  REQUIRE(at != std::string::npos);
  bytes[at + start.size()] = '\0';
  CHECK_THROWS_WITH_AS(SentencePieceTokenizer(bytes, "x.model"),
                       doctest::Contains("x.model: expected a SentencePiece model"), Error);
}

TEST_CASE("a model with other special ids is refused") {
  const auto data = testing::shared_data();
  if (!data) {
    MESSAGE("skipped: no shared data");
    return;
  }
  const auto path = *data / "sentencepiece-model" / "test_model.model";
  const std::string message = message_of([&] { load_tokenizer(path); });
  CHECK(contains(message, "given pad -1, unknown 0"));
  CHECK(contains(message, "spm_train --pad_id=0 --unk_id=1 --bos_id=2 --eos_id=3"));
}

TEST_CASE_FIXTURE(Fixture, "encoding many lines does not depend on the number of threads") {
  const SharedTokenizer tokenizer = train(200);
  const int threads = omp_get_max_threads();
  omp_set_num_threads(1);
  const auto expected = tokenizer->encode_all(lines);
  for (const int count : {2, 5}) {
    omp_set_num_threads(count);
    CHECK(tokenizer->encode_all(lines) == expected);
  }
  omp_set_num_threads(threads);
}

TEST_CASE_FIXTURE(Fixture, "encoding many lines equals encoding each") {
  SentencePieceOptions unigram, bytes, identity;
  unigram.model = SentencePieceOptions::Model::unigram;
  bytes.byte_fallback = true;
  identity.normalization = SentencePieceOptions::Normalization::identity;
  lines.insert(lines.end(), std::begin(kOddTexts), std::end(kOddTexts));
  // As spm_train makes it with --remove_extra_whitespaces=false, which is the last field.
  std::string keeps_spaces = bytes_of(train(200));
  REQUIRE(keeps_spaces.ends_with("\x20\x01"));
  keeps_spaces.back() = '\0';
  for (const SharedTokenizer& tokenizer :
       {train(200), train(100, unigram), train(450, bytes), train(200, identity),
        SharedTokenizer(std::make_shared<SentencePieceTokenizer>(keeps_spaces, "spaces"))}) {
    const auto ids = tokenizer->encode_all(lines);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      INFO(lines[i]);
      CHECK(ids[i] == tokenizer->encode(lines[i]));
    }
  }
}

TEST_CASE_FIXTURE(Fixture, "BPE-dropout of 0 is SentencePiece's own encoding") {
  SentencePieceOptions bytes, identity;
  bytes.byte_fallback = true;
  identity.normalization = SentencePieceOptions::Normalization::identity;
  for (const SharedTokenizer& tokenizer : {train(200), train(450, bytes), train(200, identity)}) {
    for (const std::string_view line : lines) {
      CHECK(tokenizer->resegment(tokenizer->encode(line), 0, 1) == tokenizer->encode(line));
    }
    for (const std::string_view odd : kOddTexts) {
      INFO(odd);
      CHECK(tokenizer->resegment(tokenizer->encode(odd), 0, 1) == tokenizer->encode(odd));
    }
  }
}

TEST_CASE("BPE-dropout of 0 merges from the left, where a piece may stand in two places") {
  const std::vector<std::string_view> few{"baa caa daa"};
  SentencePieceOptions options;
  options.vocabulary = 10;  // 4 special, the space mark, a, b, c, d, and one merge
  const SharedTokenizer tokenizer = SentencePieceTokenizer::train(few, options);
  const Ids ids = tokenizer->resegment(tokenizer->encode("baaa"), 0, 1);
  CHECK(ids == tokenizer->encode("baaa"));
  REQUIRE(ids.size() == 4);
  CHECK(tokenizer->piece(ids[2]) == "aa");
  CHECK(tokenizer->piece(ids[3]) == "a");
}

TEST_CASE("BPE-dropout: what is in no piece is one unknown piece a run") {
  BpeMerger merger(1, {});
  merger.add("a", {5, 0});
  merger.add("b", {6, 0});
  merger.add("ab", {7, -1});
  CHECK(merger.encode("ab日本b日", 0, 1) == Ids{7, 1, 6, 1});
  merger.add("日本",
             {8, -2});  // whose characters are no pieces: a merge that is refused leaves a run
  CHECK(merger.encode("日本a", 0, 1) == Ids{8, 5});
  CHECK(merger.encode("日本a", 0.999999, 1) == Ids{1, 5});
}

TEST_CASE_FIXTURE(Fixture, "BPE-dropout depends on the seed alone and keeps the text") {
  const SharedTokenizer tokenizer = train(200);
  const std::string_view line = target[17];
  std::set<Ids> seen;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const Ids ids = tokenizer->resegment(tokenizer->encode(line), 0.3, seed);
    CHECK(ids == tokenizer->resegment(tokenizer->encode(line), 0.3, seed));
    CHECK(tokenizer->decode(ids) == line);
    seen.insert(ids);
  }
  CHECK(seen.size() > 40);
}

TEST_CASE_FIXTURE(Fixture, "BPE-dropout refuses merges as often as it is told") {
  // One merge to decide on: with "ab" the only piece of two letters, it must be refused p of the
  // time.
  const std::vector<std::string_view> few{"ab ab ab ab"};
  SentencePieceOptions options;
  options.vocabulary = 8;  // 4 special, the space mark, a, b, and one merge
  const SharedTokenizer tokenizer = SentencePieceTokenizer::train(few, options);
  const std::size_t merged = tokenizer->encode("ab").size();
  int refused = 0;
  for (std::uint64_t seed = 0; seed < 10'000; ++seed) {
    refused += tokenizer->resegment(tokenizer->encode("ab"), 0.1, seed).size() > merged;
  }
  CHECK(refused == doctest::Approx(1000).epsilon(0.1));
}

TEST_CASE_FIXTURE(Fixture, "BPE-dropout refuses odd probabilities and unigram models") {
  const SharedTokenizer tokenizer = train(200);
  CHECK_THROWS_AS(tokenizer->resegment(tokenizer->encode("sie"), -0.1, 1), Error);
  CHECK_THROWS_AS(tokenizer->resegment(tokenizer->encode("sie"), 1, 1), Error);
  SentencePieceOptions options;
  options.model = SentencePieceOptions::Model::unigram;
  const SharedTokenizer unigram = train(100, options);
  CHECK_FALSE(unigram->is_bpe());
  CHECK(contains(message_of([&] { unigram->resegment(unigram->encode("sie"), 0.1, 1); }),
                 "unigram model"));
}

}  // namespace
}  // namespace kette
