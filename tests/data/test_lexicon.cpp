// IBM Model 1 against dense loops in f64, and the lexicon made of it: what it lists, and as a file.
#include <doctest/doctest.h>
#include <omp.h>

#include <cmath>
#include <map>

#include "data/corpora/lexicon.h"
#include "data/corpora/parallel_corpus.h"
#include "data/files/safetensors.h"
#include "data/tokenizers/character_tokenizer.h"
#include "tensor/random.h"
#include "tests/data/tiny_text.h"
#include "tests/support.h"

namespace kette {
namespace {

using testing::contains;
using testing::message_of;
using testing::ScratchFolder;
using Ids = std::vector<std::int32_t>;

struct ToyPairs {
  TokenLists source, target;
};

/// Random pairs in which target 2 v mod the vocabulary often stands for source v.
ToyPairs random_pairs(std::int64_t count, std::int64_t vocabulary) {
  ToyPairs pairs;
  Random random(1, 4);
  for (std::int64_t i = 0; i < count; ++i) {
    Ids source(static_cast<std::size_t>(1 + random.below(7))), target;
    for (std::int32_t& id : source) {
      id = static_cast<std::int32_t>(random.below(vocabulary));
      if (random.below(4) > 0) target.push_back(static_cast<std::int32_t>(2 * id % vocabulary));
      if (random.below(4) == 0)
        target.push_back(static_cast<std::int32_t>(random.below(vocabulary)));
    }
    if (target.empty()) target.push_back(0);
    pairs.source.add(source);
    pairs.target.add(target);
  }
  return pairs;
}

/// The formulas as they stand: t[s][f], the null word behind the pieces.
std::vector<std::vector<double>> dense_model1(const ToyPairs& pairs, std::size_t vocabulary,
                                              std::int64_t iterations) {
  std::vector t(vocabulary + 1, std::vector<double>(vocabulary, 1 / double(vocabulary)));
  for (std::int64_t iteration = 0; iteration < iterations; ++iteration) {
    std::vector counts(vocabulary + 1, std::vector<double>(vocabulary));
    for (std::int64_t i = 0; i < pairs.source.size(); ++i) {
      Ids sources(pairs.source[i].begin(), pairs.source[i].end());
      sources.push_back(static_cast<std::int32_t>(vocabulary));
      for (const std::int32_t f : pairs.target[i]) {
        double z = 0;
        for (const std::int32_t s : sources) z += t[s][f];
        for (const std::int32_t s : sources) counts[s][f] += t[s][f] / z;
      }
    }
    for (std::size_t s = 0; s <= vocabulary; ++s) {
      double total = 0;
      for (const double count : counts[s]) total += count;
      for (std::size_t f = 0; f < vocabulary; ++f) t[s][f] = total > 0 ? counts[s][f] / total : 0;
    }
  }
  return t;
}

bool same_tables(const LexicalTable& a, const LexicalTable& b) {
  const auto same = [](const LexicalTranslation& x, const LexicalTranslation& y) {
    return x.target == y.target && x.probability == y.probability;
  };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](const auto& x, const auto& y) {
    return std::equal(x.begin(), x.end(), y.begin(), y.end(), same);
  });
}

ToyPairs house_and_book() {
  // das haus / the house, das buch / the book, ein buch / a book (Koehn 2010, section 4.2).
  ToyPairs pairs;
  for (const auto& [source, target] :
       {std::pair<Ids, Ids>{{0, 1}, {0, 1}}, {{0, 2}, {0, 2}}, {{3, 2}, {3, 2}}}) {
    pairs.source.add(source);
    pairs.target.add(target);
  }
  return pairs;
}

}  // namespace

TEST_CASE("IBM Model 1 is what dense loops of its formulas give") {
  constexpr std::int64_t kVocabulary = 23;
  const ToyPairs pairs = random_pairs(300, kVocabulary);
  for (const std::int64_t iterations : {1, 2, 7}) {
    CAPTURE(iterations);
    const auto expected = dense_model1(pairs, kVocabulary, iterations);
    const LexicalTable table =
        ibm_model1(pairs.source, pairs.target, kVocabulary, {iterations, 0, kVocabulary});
    REQUIRE(table.size() == kVocabulary + 1);
    for (std::size_t s = 0; s < table.size(); ++s) {
      std::vector<double> row(kVocabulary);
      std::int32_t before = -1;
      for (const auto& [target, probability] : table[s]) {
        CHECK(target > before);
        row[before = target] = double(probability);
      }
      for (std::size_t f = 0; f < kVocabulary; ++f) {
        CHECK(row[f] == doctest::Approx(expected[s][f]).epsilon(2e-5));
      }
    }
  }
}

TEST_CASE("IBM Model 1 finds which word is which") {
  const ToyPairs pairs = house_and_book();
  const LexicalTable table = ibm_model1(pairs.source, pairs.target, 4, {20});
  for (std::int32_t word = 0; word < 4; ++word) {
    for (const auto& [target, probability] : table[word]) {
      CHECK((probability > 0.5f) == (target == word));
    }
  }
}

TEST_CASE(
    "IBM Model 1 has the same bits on any threads, keeps the likeliest, and tells its share") {
  constexpr std::int64_t kVocabulary = 50;
  const ToyPairs pairs = random_pairs(2000, kVocabulary);
  const int before = omp_get_max_threads();
  std::vector<LexicalTable> tables;
  std::vector<double> shares;
  for (const int threads : {1, 2, 5}) {
    omp_set_num_threads(threads);
    shares.clear();
    tables.push_back(ibm_model1(pairs.source, pairs.target, kVocabulary, {},
                                [&](double share) { shares.push_back(share); }));
  }
  omp_set_num_threads(before);
  CHECK(same_tables(tables[0], tables[1]));
  CHECK(same_tables(tables[0], tables[2]));
  CHECK(std::is_sorted(shares.begin(), shares.end()));
  CHECK(shares.front() > 0);
  CHECK(shares.back() == doctest::Approx(1));

  // After one iteration the rows are those of all, cut.
  const LexicalTable all = ibm_model1(pairs.source, pairs.target, kVocabulary, {1, 0, kVocabulary}),
                     few = ibm_model1(pairs.source, pairs.target, kVocabulary, {1, 0.01, 3});
  for (std::int64_t s = 0; s < kVocabulary; ++s) {
    std::vector<float> likely;
    for (const auto& one : all[s]) likely.push_back(one.probability);
    std::sort(likely.rbegin(), likely.rend());
    REQUIRE(few[s].size() <= 3);
    for (const auto& one : few[s]) CHECK(one.probability >= std::max(0.01f, likely[2]));
  }
}

TEST_CASE("lexicon: the pieces of each source piece, the frequent ones, and the source's own") {
  const ToyPairs pairs = house_and_book();
  LexiconOptions options;
  options.best = 1;
  options.frequent = 1;
  options.model.iterations = 20;
  const Lexicon lexicon = Lexicon::of(pairs.source, pairs.target, 9, options);
  CHECK(lexicon.vocabulary() == 9);
  CHECK(lexicon.entries() == 4);
  CHECK(lexicon.pieces_for({}) == Ids{0});  // of the two that come twice the lower
  CHECK(lexicon.pieces_for(Ids{3, 2, 3}) == Ids{0, 2, 3});
  CHECK(lexicon.pieces_for(Ids{7, 1}) == Ids{0, 1, 7});  // a name that the training data lack
  options.best = 4;
  CHECK(Lexicon::of(pairs.source, pairs.target, 9, options).pieces_for(Ids{1}) == Ids{0, 1});
  options.best = 0;
  CHECK(contains(message_of([&] { Lexicon::of(pairs.source, pairs.target, 9, options); }),
                 "best: expected at least 1 target piece"));
  CHECK(contains(message_of([&] { Lexicon::of({}, {}, 9); }), "expected equally many sentences"));
}

TEST_CASE("lexicon: a file comes back as it was, and one of something else is refused") {
  const ScratchFolder folder;
  const auto file = folder / kLexiconFile;
  const SharedTokenizer tokenizer = load_tokenizer({}, "byte");
  const ToyPairs pairs = random_pairs(200, tokenizer->vocabulary());
  const Lexicon lexicon = Lexicon::of(pairs.source, pairs.target, tokenizer->vocabulary());
  const auto refusal = [&] { return message_of([&] { Lexicon::load(file, *tokenizer); }); };
  CHECK(contains(refusal(), "given none (make one of the training data: kette lexicon --model " +
                                folder.path().string()));
  lexicon.save(file, *tokenizer);
  const Lexicon again = Lexicon::load(file, *tokenizer);
  CHECK(again.entries() == lexicon.entries());
  for (std::int32_t id = 0; id < tokenizer->vocabulary(); ++id) {
    CHECK(again.pieces_for({&id, 1}) == lexicon.pieces_for({&id, 1}));
  }

  // Two directions may have one tokenizer, and then they differ in their runs.
  Lexicon of_run = again;
  of_run.set_run("0000000a");
  of_run.save(file, *tokenizer);
  CHECK(Lexicon::load(file, *tokenizer, "0000000a").entries() == lexicon.entries());
  CHECK(Lexicon::load(file, *tokenizer).entries() == lexicon.entries());
  CHECK(contains(message_of([&] { Lexicon::load(file, *tokenizer, "0000000b"); }),
                 "expected a lexicon of the model's own run, 0000000b, given one of 0000000a"));
  lexicon.save(file, *tokenizer);
  CHECK(Lexicon::load(file, *tokenizer, "0000000b").entries() == lexicon.entries());

  const SharedTokenizer other = CharacterTokenizer::from_text("abc", "text");
  CHECK(contains(message_of([&] { Lexicon::load(file, *other); }),
                 "expected a lexicon of the model's tokenizer, " + other->fingerprint()));
  const std::string whole = testing::read_file(file);
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{5}, whole.size() / 2, whole.size() - 1}) {
    testing::write_file(file, whole.substr(0, size));
    CHECK(contains(refusal(), file.string()));
  }
  std::string flipped = whole;
  flipped[flipped.size() - 9] ^= 4;
  testing::write_file(file, flipped);
  CHECK(contains(refusal(), "checksum"));

  // Lists that no lexicon has, with a checksum that agrees.
  const auto vocabulary = static_cast<std::int32_t>(tokenizer->vocabulary());
  Ids begins(static_cast<std::size_t>(vocabulary) + 1);
  begins.back() = 2;
  const auto write = [&](const Ids& frequent, const Ids& ends, const Ids& best) {
    write_safetensors(file,
                      {{"frequent", Tensor::from(frequent)},
                       {"begins", Tensor::from(ends)},
                       {"best", Tensor::from(best)}},
                      {{"tokenizer", tokenizer->fingerprint()}}, Checksum::crc32);
  };
  write({1}, begins, {1, 2});
  CHECK(refusal().empty());
  for (const std::int32_t bad : {-1, vocabulary}) {
    write({bad}, begins, {1, 2});
    CHECK(contains(refusal(), "lists that do not fit together"));
    write({1}, begins, {1, bad});
    CHECK(contains(refusal(), "lists that do not fit together"));
  }
  write({1}, begins, {1, 2, 3});
  CHECK(contains(refusal(), "lists that do not fit together"));
  Ids falling = begins;
  falling[3] = 2;
  write({1}, falling, {1, 2});
  CHECK(contains(refusal(), "lists that do not fit together"));
  write({0}, {0, 2}, {0, 0});
  CHECK(contains(refusal(), "source pieces, given one of 1"));
  write_safetensors(file, {{"frequent", Tensor::from(Ids{1})}},
                    {{"tokenizer", tokenizer->fingerprint()}}, Checksum::crc32);
  CHECK(contains(refusal(), "with a tensor \"begins\""));
}

}  // namespace kette
