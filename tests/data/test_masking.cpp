// Masks: how many, where and what stands there, by chance but the same for a key.
#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>

#include "data/corpora/masking.h"
#include "data/corpora/tokenize_files.h"
#include "data/tokenizers/byte_tokenizer.h"
#include "data/tokenizers/character_tokenizer.h"
#include "data/tokenizers/sentencepiece_tokenizer.h"
#include "data/tokenizers/wordpiece_tokenizer.h"
#include "tests/data/tiny_text.h"
#include "tests/support.h"

namespace kette {
namespace {

using Ids = std::vector<std::int32_t>;
using testing::contains;
using testing::message_of;

/// Marks, then words a, b, ... and the pieces ##a, ##b, ... that go on.
std::shared_ptr<const WordPieceTokenizer> letters() {
  std::vector<std::string> pieces = {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"};
  for (const std::string before : {"", "##"}) {
    for (char letter = 'a'; letter <= 'z'; ++letter) pieces.push_back(before + letter);
  }
  return std::make_shared<WordPieceTokenizer>(pieces, WordPieceSettings{}, "letters");
}

Batch masked(const Masking& masking, const Ids& text, std::uint64_t key) {
  Batch batch;
  masking.add(text, key, batch);
  return batch;
}

TEST_CASE("masks: 15 % of the tokens, of which 80 % are masks, 10 % random and 10 % themselves") {
  const auto tokenizer = letters();
  const Masking masking(*tokenizer, {});
  Ids text(100);
  for (std::size_t i = 0; i < text.size(); ++i) text[i] = 5 + static_cast<std::int32_t>(i % 52);
  double masks = 0, same = 0, all = 0;
  std::vector<int> chosen_at(text.size());
  for (std::uint64_t key = 0; key < 1000; ++key) {
    const Batch batch = masked(masking, text, key);
    REQUIRE(batch.target_in.size() == 15);
    REQUIRE(batch.source.size() == 102);
    CHECK(batch.source.front() == 2);
    CHECK(batch.source.back() == 3);
    Ids restored = batch.source;
    for (std::size_t i = 0; i < batch.target_in.size(); ++i) {
      const std::int32_t place = batch.target_in[i], read = batch.source[place];
      masks += read == 4;
      same += read == batch.target_out[i];
      ++all;
      restored[place] = batch.target_out[i];
      ++chosen_at[static_cast<std::size_t>(place - 1)];
    }
    REQUIRE(Ids(restored.begin() + 1, restored.end() - 1) == text);  // nothing else has changed
  }
  CHECK(masks / all == doctest::Approx(0.8 + 0.1 / 57).epsilon(0.02).scale(0));
  CHECK(same / all == doctest::Approx(0.1 + 0.1 / 57).epsilon(0.05).scale(0));
  const auto [least, most] = std::minmax_element(chosen_at.begin(), chosen_at.end());
  CHECK(*least > 100);
  CHECK(*most < 200);
  CHECK(masked(masking, text, 5).source == masked(masking, text, 5).source);
  CHECK(masked(masking, text, 5).source != masked(masking, text, 6).source);
}

TEST_CASE("masks: marks are never chosen, and at least one token is") {
  const auto tokenizer = letters();
  const Masking masking(*tokenizer, {});
  for (std::uint64_t key = 0; key < 50; ++key) {
    const Batch batch = masked(masking, {3, 7, 3, 3}, key);
    CHECK(batch.target_in == Ids{2});
    CHECK(batch.target_out == Ids{7});
    CHECK(masked(masking, {3, 3}, key).target_in.size() == 1);
  }
}

TEST_CASE("masks: all pieces of a word together, of every kind of tokenizer") {
  const auto tokenizer = letters();
  const Masking words(*tokenizer, {.share = 0.3, .whole_words = true});
  // Ten words of two pieces: room for six tokens is room for three words.
  Ids text;
  for (std::int32_t i = 0; i < 10; ++i) text.insert(text.end(), {5 + i, 31 + i});
  for (std::uint64_t key = 0; key < 50; ++key) {
    const Ids places = masked(words, text, key).target_in;
    REQUIRE(places.size() == 6);
    for (std::size_t i = 0; i < places.size(); i += 2) {
      CHECK(places[i] % 2 == 1);
      CHECK(places[i + 1] == places[i] + 1);
    }
  }
  const Ids one_word = {5, 31, 32, 33};  // larger than the share, and all there is
  CHECK(masked(words, one_word, 1).target_in == Ids{1, 2, 3, 4});

  const auto starts = [](const Tokenizer& t, const Ids& ids) {
    std::string result = "S";
    for (std::size_t i = 1; i < ids.size(); ++i) {
      result += t.edges(ids[i - 1]).ends_inside && t.edges(ids[i]).begins_inside ? '.' : 'S';
    }
    return result;
  };
  const auto characters = CharacterTokenizer::from_text("ab é,1", "text", true);
  CHECK(starts(*characters, characters->encode("ab é1, b")) == "S.SS.SSS");
  const ByteTokenizer bytes;
  CHECK(starts(bytes, bytes.encode("a\xC3\xA4 b")) == "S..SS");
  const std::vector<std::string_view> lines = {"low lower lowest", "new newer newest, widest"};
  SentencePieceOptions options;
  options.vocabulary = 30;
  options.normalization = SentencePieceOptions::Normalization::identity;
  const auto pieces = SentencePieceTokenizer::train(lines, options);
  const Ids ids = pieces->encode("lowest newest, low");
  const std::string found = starts(*pieces, ids);
  CHECK(std::count(found.begin(), found.end(), 'S') == 4);  // three words and the comma
}

TEST_CASE("masks: tokenizers have one if they are made with it, and no text is encoded as it") {
  const auto characters = CharacterTokenizer::from_text("a [MASK]", "text", true);
  const std::int32_t mask = characters->expected_mask();
  CHECK(characters->vocabulary() == mask + 1);
  CHECK(characters->special().end == mask - 1);
  const Ids plain = characters->encode("[MASK]");
  CHECK(std::count(plain.begin(), plain.end(), mask) == 0);
  CHECK(characters->decode(Ids{plain[0], mask, plain[1]}) == "[M");
  CHECK(encode_with_masks(*characters, "a [MASK]a").size() == 4);
  const testing::ScratchFolder folder;
  characters->save(folder.path());
  CHECK(load_tokenizer(folder.path())->mask() == characters->mask());
  CHECK_FALSE(CharacterTokenizer::from_text("a", "text")->mask().has_value());

  SentencePieceOptions options;
  options.vocabulary = 290;
  options.mask = true;
  const auto pieces = SentencePieceTokenizer::train_text(
      "the cat sees the dog\nand the dog sees the cat\n", options);
  const std::int32_t of_pieces = pieces->expected_mask();
  CHECK(pieces->piece(of_pieces) == kMaskPiece);
  const Ids spelt = pieces->encode("a [MASK]");
  CHECK(std::count(spelt.begin(), spelt.end(), of_pieces) == 0);
  CHECK(pieces->decode(spelt) == "a [MASK]");
  Ids expected = pieces->encode("the cat");
  expected.push_back(of_pieces);
  for (const std::int32_t id : pieces->encode(" the dog")) expected.push_back(id);
  CHECK(encode_with_masks(*pieces, "the cat [MASK] the dog") == expected);
  CHECK(pieces->decode(expected) == "the cat the dog");

  CHECK(contains(message_of([] { Masking(ByteTokenizer(), {}); }),
                 "expected one with a piece for masked words, given byte without"));
  CHECK(contains(message_of([&] { Masking(*characters, {.share = 1}); }), "between 0 and 1"));
}

TEST_CASE("masks: windows of training go on after a stop as if there had been none") {
  const testing::ScratchFolder folder;
  std::string text;
  for (int i = 0; i < 300; ++i) text += static_cast<char>('a' + (i * i) % 26);
  testing::write_file(folder / "text", text);
  const auto characters = CharacterTokenizer::from_text(text, "text", true);
  tokenize_files({folder / "text"}, *characters, DocumentKind::file, folder / "tokens");
  const TokenFile tokens = open_tokens(folder / "tokens", *characters);
  const Masking masking(*characters, {});
  const auto sampler = [&] { return MaskedSampler({tokens}, masking, {12, 3, 7}); };
  MaskedSampler whole = sampler();
  std::vector<TokenCounts> promised;
  for (std::int64_t i = 0; i < 25; ++i) promised.push_back(whole.tokens(i));
  std::vector<Ids> read;
  for (int i = 0; i < 25; ++i) {
    const Sampler::State state = whole.state();
    const Batch batch = whole.next();
    CHECK(batch.source_segments.longest() == 12);
    CHECK(tokens_of(batch) == promised[i]);
    read.push_back(batch.source);
    MaskedSampler resumed = sampler();
    resumed.restore(state);
    CHECK(resumed.next().source == batch.source);
  }
  CHECK(whole.state().epoch >= 2);
  CHECK(std::count(read.begin(), read.end(), read.front()) == 1);  // other masks each epoch
  CHECK(contains(message_of([&] {
                   MaskedSampler({tokens}, masking, {2, 3, 7});
                 }),
                 "context: expected at least 3 tokens"));
}

}  // namespace
}  // namespace kette
