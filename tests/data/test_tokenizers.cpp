#include <doctest/doctest.h>

#include <algorithm>

#include "data/tokenizers/character_tokenizer.h"
#include "data/tokenizers/sentencepiece_tokenizer.h"
#include "tensor/error.h"
#include "tensor/splitmix.h"
#include "tests/data/tiny_text.h"
#include "tests/support.h"

namespace kette {
namespace {

using Ids = std::vector<std::int32_t>;
using testing::contains;
using testing::message_of;
using testing::write_file;

std::string random_bytes(std::uint64_t seed, std::size_t count) {
  std::string bytes;
  for (std::size_t i = 0; i < count; ++i) bytes += static_cast<char>(hash_of(seed, i));
  return bytes;
}

/// Through files() and back.
SharedTokenizer reloaded(const Tokenizer& tokenizer) {
  const testing::ScratchFolder folder;
  for (const auto& [name, content] : tokenizer.files()) write_file(folder / name, content);
  return load_tokenizer(folder.path(), tokenizer.kind());
}

TEST_CASE("a tokenizer of bytes spells everything") {
  const auto tokenizer = load_tokenizer({}, "byte");
  CHECK(tokenizer->kind() == "byte");
  CHECK(tokenizer->vocabulary() == 257);
  CHECK(tokenizer->special().end == 256);
  CHECK(tokenizer->files().empty());
  CHECK(tokenizer->encode("a\xFF\n") == Ids{97, 255, 10});
  CHECK(tokenizer->encode("").empty());
  CHECK(tokenizer->decode(Ids{97, 256, 255}) == "a\xFF");
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const std::string bytes = random_bytes(seed, 100);
    CHECK(tokenizer->decode(tokenizer->encode(bytes)) == bytes);
  }
  CHECK(contains(message_of([&] { tokenizer->decode(Ids{257}); }),
                 "byte tokenizer: expected an id from 0 to 256, given 257"));
  CHECK_THROWS_AS(tokenizer->decode(Ids{-1}), Error);
}

TEST_CASE("a tokenizer of characters has those of its text, in their order") {
  const std::string text = std::string("bab é🙂\n日é", 16) + '\0';
  const auto tokenizer = CharacterTokenizer::from_text(text, "text");
  CHECK(tokenizer->vocabulary() == 9);  // \0 \n space a b é 日 🙂, and the end
  CHECK(tokenizer->special().end == 8);
  CHECK(tokenizer->encode("ab é日🙂") == Ids{3, 4, 2, 5, 6, 7});
  CHECK(tokenizer->decode(tokenizer->encode(text)) == text);
  CHECK(tokenizer->decode(Ids{8, 3, 8}) == "a");
  CHECK(tokenizer->encode("").empty());
  CHECK_THROWS_AS(tokenizer->decode(Ids{9}), Error);

  const auto again = reloaded(*tokenizer);
  CHECK(again->encode(text) == tokenizer->encode(text));
  CHECK(again->fingerprint() == tokenizer->fingerprint());
  CHECK(again->fingerprint() != CharacterTokenizer::from_text("b", "text")->fingerprint());
}

TEST_CASE("a tokenizer of characters says which one it does not know, and where") {
  const auto tokenizer = CharacterTokenizer::from_text("abc é", "text");
  CHECK(contains(message_of([&] { tokenizer->encode("ab é日"); }),
                 "given '日' (U+65E5) at byte offset 5"));
  CHECK(contains(message_of([&] { tokenizer->encode("🙂"); }),
                 "'🙂' (U+1F642) at byte offset 0"));
  CHECK(contains(message_of([&] { tokenizer->encode("ab\xC3"); }), "byte 0xC3 at byte offset 2"));
  for (const std::string bad : {"ab\xFF", "ab\xED\xA0\x80", "ab\xF4\x90\x80\x80", "ab\xC0\x80"}) {
    CHECK(contains(message_of([&] { CharacterTokenizer::from_text(bad, "corpus.txt"); }),
                   "corpus.txt: expected UTF-8, given the byte 0x"));
    CHECK(contains(message_of([&] { CharacterTokenizer::from_text(bad, "corpus.txt"); }),
                   "at byte offset 2"));
  }
  CHECK(contains(message_of([&] { CharacterTokenizer::from_text("", "corpus.txt"); }),
                 "corpus.txt: expected a text"));
  std::vector<std::string_view> lines(200,
                                      "ab");  // of several the first, whichever thread meets it
  lines[70] = "x";
  lines[190] = "y";
  CHECK(contains(message_of([&] { tokenizer->encode_all(lines); }), "given 'x'"));
}

TEST_CASE("characters.json that is none is refused") {
  const testing::ScratchFolder folder;
  const auto message = [&](const std::string& content) {
    write_file(folder / "characters.json", content);
    return message_of([&] { load_tokenizer(folder.path(), "character"); });
  };
  CHECK(contains(message_of([&] { load_tokenizer(folder.path(), "character"); }),
                 "characters.json: expected a text file"));
  for (const std::string content : {"", "{}", "[]", "[\"a\"", "3", "[\"\xFF\"]"}) {
    CAPTURE(content);
    CHECK(contains(message(content), "characters.json: expected a JSON list of strings"));
  }
  for (const std::string entry : {"\"\"", "\"ab\"", "7", "null", "[\"a\"]"}) {
    CAPTURE(entry);
    CHECK(contains(message("[\"b\"," + entry + "]"), "one character each, given " + entry));
  }
  CHECK(contains(message("[\"a\", \"b\", \"a\"]"), "every character once, given \"a\" twice"));
  const std::string deep = std::string(200'000, '[') + std::string(200'000, ']');
  CHECK(contains(message("[" + deep + "]"), "characters.json: expected JSON that nests"));
  CHECK(message("[\"b\", \"a\"]") == "");
}

struct Lossless {
  static const SentencePieceTokenizer& tokenizer(SentencePieceOptions::Model model) {
    const auto train = [](SentencePieceOptions::Model kind) {
      SentencePieceOptions options;
      options.model = kind;
      options.vocabulary = 320;
      return SentencePieceTokenizer::train_text(testing::tiny_text().target, options);
    };
    static const auto bpe = train(SentencePieceOptions::Model::bpe);
    static const auto unigram = train(SentencePieceOptions::Model::unigram);
    return model == SentencePieceOptions::Model::bpe ? *bpe : *unigram;
  }
};

TEST_CASE("a SentencePiece model that was trained lossless gives every text back") {
  for (const auto model :
       {SentencePieceOptions::Model::bpe, SentencePieceOptions::Model::unigram}) {
    const auto& tokenizer = Lossless::tokenizer(model);
    CHECK(tokenizer.is_lossless());
    CHECK(tokenizer.vocabulary() == 320);
    CHECK(tokenizer.special().end == SpecialTokens{}.end);
    for (const std::string& text :
         {std::string(), std::string(" "), std::string("   "), std::string("\n\n \n"),
          std::string(" sie  sieht\tes . \r\n\n  ein Buch "), std::string("日本 \uFB01 A\u030A ½"),
          std::string("\u2581 \u2581sie\u2581\u2581 a"), std::string("<0xE4> <s> </s> <unk> <pad>"),
          std::string("🙂 \u00A0\u3000\u0085 \u2585 \uFFFD \uFFFF\uFEFF"),
          std::string("a\0b \0", 5), std::string(3000, ' '), std::string(5000, 's')}) {
      CAPTURE(text);
      CHECK(tokenizer.decode(tokenizer.encode(text)) == text);
    }
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
      const std::string bytes = random_bytes(seed, 40);
      CHECK(tokenizer.decode(tokenizer.encode(bytes)) == bytes);
    }
    const std::string whole = testing::tiny_text().target;
    const Ids ids = tokenizer.encode(whole);
    CHECK(tokenizer.decode(ids) == whole);
    CHECK(ids.size() * 4 < whole.size() * 3);
    CHECK(std::count(ids.begin(), ids.end(), SpecialTokens{}.unknown) == 0);
  }
}

TEST_CASE("a newline is one id, and half a character is its bytes") {
  const auto& tokenizer = Lossless::tokenizer(SentencePieceOptions::Model::bpe);
  CHECK(tokenizer.encode("\n").size() == 1);
  CHECK(tokenizer.encode("sie\nes").size() ==
        tokenizer.encode("sie").size() + 1 + tokenizer.encode("es").size());
  const Ids ids = tokenizer.encode("日");
  REQUIRE(ids.size() == 3);
  CHECK(tokenizer.decode(std::span(ids).first(2)) == "\xE6\x97");
  CHECK(tokenizer.decode(Ids{ids[0], SpecialTokens{}.end, ids[1], SpecialTokens{}.pad, ids[2]}) ==
        "日");
  CHECK_THROWS_AS(tokenizer.decode(Ids{320}), Error);
}

TEST_CASE("a lossless model is known by its file alone, and others decode as SentencePiece does") {
  const auto& tokenizer = Lossless::tokenizer(SentencePieceOptions::Model::bpe);
  const auto again = reloaded(tokenizer);
  CHECK(again->fingerprint() == tokenizer.fingerprint());
  CHECK(again->encode(" sie\n\nes ") == tokenizer.encode(" sie\n\nes "));
  CHECK(again->decode(again->encode(" sie\n\nes ")) == " sie\n\nes ");

  const testing::TinyText text = testing::tiny_text();
  const TextLines lines = text.target_lines();
  for (const bool bytes : {false, true}) {
    for (const auto normalization : {SentencePieceOptions::Normalization::nmt_nfkc,
                                     SentencePieceOptions::Normalization::identity}) {
      SentencePieceOptions options;
      options.vocabulary = bytes ? 310 : 100;
      options.byte_fallback = bytes;
      options.normalization = normalization;
      const auto lossy = SentencePieceTokenizer::train(lines.views(), options);
      CHECK_FALSE(lossy->is_lossless());
      CHECK(lossy->decode(lossy->encode("sie  sieht es .")) == "sie sieht es .");
    }
  }
}

TEST_CASE("lossless training learns from lines of any length, and refuses what is no text") {
  std::string line;
  for (int i = 0; i < 2000; ++i) line += i % 7 == 0 ? "Mädchen " : "Brücke ";
  SentencePieceOptions options;
  options.vocabulary = 290;
  const auto tokenizer = SentencePieceTokenizer::train_text(line, options);
  CHECK(tokenizer->encode(" Brücke").size() < 4);
  const testing::ScratchFolder folder;
  write_file(folder / "text", line);
  SentencePieceOptions lossless = options;
  lossless.normalization = SentencePieceOptions::Normalization::lossless;
  CHECK(SentencePieceTokenizer::train_files({folder / "text"}, lossless)->fingerprint() ==
        tokenizer->fingerprint());
  CHECK(contains(message_of([&] { SentencePieceTokenizer::train_text("\n\n", options); }),
                 "expected lines of text to train on"));
  CHECK(contains(message_of([&] { SentencePieceTokenizer::train_text("ab\xFF", options); }),
                 "expected UTF-8"));
}

TEST_CASE("kinds that there are not and files that are none are refused") {
  const testing::ScratchFolder folder;
  CHECK(contains(
      message_of([&] { load_tokenizer(folder.path(), "wrods"); }),
      "expected one of marian, tree, sentencepiece, gpt2, wordpiece, character, word, byte, "
      "given wrods"));
  CHECK(contains(
      message_of([&] { load_tokenizer(folder.path()); }),
      "(one of source.spm, symbols.json, tokenizer.model, vocab.json, encoder.json, vocab.txt, "
      "characters.json, words.json, tokenizer.json), given one with none of them"));
  CHECK(contains(message_of([&] { load_tokenizer(folder.path(), "sentencepiece"); }),
                 "tokenizer.model: expected a SentencePiece model"));
  write_file(folder / "tokenizer.model", "junk");
  CHECK(contains(message_of([&] { load_tokenizer(folder.path(), "sentencepiece"); }),
                 "expected a SentencePiece model"));
}

TEST_CASE("a folder's files tell the kind of its tokenizer, and a saved one is known again") {
  const auto fixtures = testing::source_folder() / "tests/fixtures";
  CHECK(load_tokenizer(fixtures / "gpt2_tiny")->kind() == "gpt2");
  const auto marian = load_tokenizer(fixtures / "hugging_face/marian");  // has a vocab.json, too
  CHECK(marian->kind() == "marian");
  CHECK(marian->special().are_complete());
  CHECK(contains(message_of([&] { marian->resegment(Ids{5}, 0.1, 1); }),
                 "given a tokenizer of the kind marian"));
  // Quotation marks begin no code of a language.
  const auto words = marian->encode("ein Hund<< schläft");
  const auto quoted = marian->encode(">>ein Hund<< schläft");
  CHECK(quoted.size() > words.size());
  CHECK(std::equal(words.rbegin(), words.rend() - 2, quoted.rbegin()));
  SentencePieceOptions options;
  options.vocabulary = 60;
  const TextLines lines = testing::tiny_text().source_lines();
  const std::vector<SharedTokenizer> known = {
      CharacterTokenizer::from_text("ab", "text"), marian,
      SentencePieceTokenizer::train(lines.views(), options)};
  for (const SharedTokenizer& tokenizer : known) {
    const testing::ScratchFolder folder;
    tokenizer->save(folder.path());
    CHECK(load_tokenizer(folder.path())->fingerprint() == tokenizer->fingerprint());
  }
  CHECK_FALSE(known[0]->special().are_complete());
  CHECK(known[0]->piece(1) == "b");
}

TEST_CASE("fingerprints tell kinds and vocabularies apart") {
  CHECK(load_tokenizer({}, "byte")->fingerprint() == "byte 257 00000000");
  const auto a = CharacterTokenizer::from_text("ab", "text");
  const auto b = CharacterTokenizer::from_text("ac", "text");
  CHECK(a->fingerprint() != b->fingerprint());
  CHECK(a->fingerprint().rfind("character 3 ", 0) == 0);
}

}  // namespace
}  // namespace kette
