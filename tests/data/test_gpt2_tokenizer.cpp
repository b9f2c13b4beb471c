// The golden ids are tiktoken's: tests/fixtures/make_gpt2_golden.py.
#include <doctest/doctest.h>
#include <omp.h>

#include <algorithm>

#include "data/files/text_file.h"
#include "data/tokenizers/gpt2_pieces.h"
#include "data/tokenizers/gpt2_tokenizer.h"
#include "tensor/error.h"
#include "tensor/splitmix.h"
#include "tests/data/tiny_text.h"
#include "tests/json_view.h"
#include "tests/support.h"

namespace kette {
namespace {

using Ids = std::vector<std::int32_t>;
using testing::contains;
using testing::count_of;
using testing::JsonView;
using testing::message_of;
using testing::write_file;

const std::filesystem::path kFixtures = testing::source_folder() / "tests/fixtures";

const JsonView& golden() {
  static const JsonView golden =
      JsonView::parse(testing::read_file(kFixtures / "gpt2_golden.json"));
  return golden;
}

SharedTokenizer tiny() {
  static const auto tokenizer = load_tokenizer(kFixtures / "gpt2_tiny", "gpt2");
  return tokenizer;
}

/// The tokenizer of GPT-2 itself, or nothing.
SharedTokenizer real() {
  const auto data = testing::shared_data();
  if (!data || !std::filesystem::exists(*data / "gpt2-tokenizer")) {
    MESSAGE("skipped: no shared data");
    return nullptr;
  }
  static const auto tokenizer = load_tokenizer(*data / "gpt2-tokenizer", "gpt2");
  return tokenizer;
}

void check_odd_texts(const Tokenizer& tokenizer, const std::string& name) {
  CHECK(golden()["odd"].size() > 250);
  for (const JsonView& row : golden()["odd"]) {
    const auto text = row["text"].text();
    CAPTURE(row.dump());
    const Ids ids = tokenizer.encode(text);
    CHECK(ids == row[name].get<Ids>());
    CHECK(tokenizer.decode(ids) == text);
  }
}

/// Random bytes of a few kinds, so that runs, UTF-8 and broken UTF-8 all occur.
std::string random_text(std::uint64_t seed, std::size_t parts) {
  constexpr std::string_view kParts[] = {" ",  "\n",   "a",  "the",  "'ll",  "7",
                                         "!",  "é",    "日", "\xC3", "\xA9", "\xED\xA0\x80",
                                         "\t", "🙂", ""};
  std::string text;
  for (std::size_t i = 0; i < parts; ++i) {
    const std::uint64_t hash = hash_of(seed, i);
    const std::string_view part = kParts[hash % std::size(kParts)];
    text += part.empty() ? std::string(1, static_cast<char>(hash >> 32)) : std::string(part);
  }
  return text;
}

std::string fnv1a(const Ids& ids) {
  std::uint64_t state = 0xCBF29CE484222325ull;
  for (const std::int32_t id : ids) {
    for (int shift = 0; shift < 32; shift += 8) {
      state = (state ^ (static_cast<std::uint32_t>(id) >> shift & 0xFF)) * 0x100000001B3ull;
    }
  }
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(state));
  return digits;
}

TEST_CASE("gpt2: odd texts have tiktoken's ids, and come back") {
  check_odd_texts(*tiny(), "tiny");
  CHECK(tiny()->special().end == tiny()->vocabulary() - 1);
}

TEST_CASE("gpt2: odd texts have tiktoken's ids by the vocabulary of GPT-2") {
  const auto tokenizer = real();
  if (!tokenizer) return;
  CHECK(tokenizer->vocabulary() == 50257);
  CHECK(tokenizer->special().end == 50256);
  check_odd_texts(*tokenizer, "gpt2");
}

TEST_CASE("gpt2: whole texts have tiktoken's ids, and come back") {
  const auto tokenizer = real();
  if (!tokenizer) return;
  for (const JsonView& row : golden()["texts"]) {
    const auto file = *testing::shared_data() / row["file"].text();
    CAPTURE(file);
    if (!std::filesystem::exists(file)) {
      MESSAGE("skipped: no such file");
      continue;
    }
    const std::string text = read_text(file);
    const Ids ids = tokenizer->encode(text);
    CHECK(ids.size() == row["tokens"].get<std::size_t>());
    CHECK(fnv1a(ids) == row["fnv"].text());
    CHECK((tokenizer->decode(ids) == text));
  }
}

TEST_CASE("gpt2: any bytes come back") {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const std::string text = random_text(seed, seed);
    CHECK(tiny()->decode(tiny()->encode(text)) == text);
  }
}

TEST_CASE("gpt2: pieces end where a text may be cut, and nowhere depends on what is before") {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const std::string text = random_text(seed, 60);
    std::vector<std::size_t> ends;
    for (std::size_t at = 0; at < text.size();) ends.push_back(at = gpt2_piece_end(text, at));
    for (std::size_t from = 0; from < text.size(); from += 7) {
      const std::size_t cut = gpt2_safe_cut(text, from);
      CHECK(std::find(ends.begin(), ends.end(), cut) != ends.end());
      Ids ids = tiny()->encode(std::string_view(text).substr(0, cut));
      const Ids rest = tiny()->encode(std::string_view(text).substr(cut));
      ids.insert(ids.end(), rest.begin(), rest.end());
      CHECK(ids == tiny()->encode(text));
    }
  }
}

TEST_CASE("gpt2: the number of threads changes nothing, on texts with and without places to cut") {
  const std::string mixed = random_text(1, 400'000);
  const std::string letters(1'000'000, 'a');
  const int threads = omp_get_max_threads();
  omp_set_num_threads(1);
  const Ids expected = tiny()->encode(mixed);
  omp_set_num_threads(4);
  CHECK((tiny()->encode(mixed) == expected));
  CHECK((tiny()->decode(expected) == mixed));
  CHECK((tiny()->decode(tiny()->encode(letters)) == letters));  // would take hours if quadratic
  omp_set_num_threads(threads);
}

TEST_CASE("gpt2: merges that were learnt out of order are applied as in OpenAI's encoder.py") {
  // encoder.py merges a pair everywhere before it looks for the next one. By hand, for merges
  // (abc, ab) (a, b) (ab, c): ab c ab c -> abc abc. Merging (abc, ab) as soon as it appears would
  // give abcab c.
  std::array<std::int32_t, 256> bytes{};
  for (int i = 0; i < 256; ++i) bytes[i] = i;
  const BytePairMerges merges(bytes, {{301, 300, 302}, {'a', 'b', 300}, {300, 'c', 301}});
  for (const std::size_t times : {2, 60}) {  // swept, and by the heap
    std::string text;
    for (std::size_t i = 0; i < times; ++i) text += "abc";
    Ids ids;
    merges.encode(text, ids);
    CHECK(ids == Ids(times, 301));
  }
}

TEST_CASE("gpt2: a merge that was overtaken waits for its new rank") {
  // z a b c: the merge of b and c leaves no (a, b), which came next, and makes a pair with a that
  // comes last, after (z, a).
  std::array<std::int32_t, 256> bytes{};
  for (int i = 0; i < 256; ++i) bytes[i] = i;
  const BytePairMerges merges(bytes,
                              {{'b', 'c', 300}, {'a', 'b', 301}, {'z', 'a', 302}, {'a', 300, 303}});
  for (const std::size_t times : {2, 60}) {  // swept, and by the heap
    std::string text;
    Ids expected, ids;
    for (std::size_t i = 0; i < times; ++i) {
      text += "zabc";
      expected.insert(expected.end(), {302, 300});
    }
    merges.encode(text, ids);
    CHECK(ids == expected);
  }
}

TEST_CASE("gpt2: long pieces are merged as short ones are") {
  const auto& merges = tiny();
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    std::string piece;
    for (std::size_t i = 0; i < 60; ++i) piece += "aehtrnioé"[hash_of(seed, i) % 8];
    // Letters without a merge between them keep the halves apart.
    const Ids half = merges->encode(piece), join = merges->encode("Q");
    Ids expected = half;
    expected.insert(expected.end(), join.begin(), join.end());
    expected.insert(expected.end(), half.begin(), half.end());
    CHECK(merges->encode(piece + "Q" + piece) == expected);
  }
}

TEST_CASE("gpt2: files() load again under either pair of names, with the same fingerprint") {
  const testing::ScratchFolder names, other_names;
  for (const auto& [name, content] : tiny()->files()) {
    write_file(names / name, content);
    write_file(other_names / (name == "vocab.json" ? "encoder.json" : "vocab.bpe"), content);
  }
  for (const auto& folder : {names.path(), other_names.path()}) {
    const auto again = load_tokenizer(folder, "gpt2");
    CHECK(again->fingerprint() == tiny()->fingerprint());
    CHECK(again->encode("The weather.") == tiny()->encode("The weather."));
  }
}

TEST_CASE("gpt2: decode leaves out the end of a text and refuses ids outside the vocabulary") {
  Ids ids = tiny()->encode("the <|endoftext|>");
  CHECK(std::count(ids.begin(), ids.end(), tiny()->special().end) == 0);
  ids.push_back(tiny()->special().end);
  CHECK(tiny()->decode(ids) == "the <|endoftext|>");
  const auto size = static_cast<std::int32_t>(tiny()->vocabulary());
  CHECK(contains(message_of([&] { tiny()->decode(Ids{size}); }), "gpt2 tokenizer: expected an id"));
  CHECK_THROWS_AS(tiny()->decode(Ids{-1}), Error);
}

struct BadFiles {
  testing::ScratchFolder folder;
  JsonView vocabulary = JsonView::parse(testing::read_file(kFixtures / "gpt2_tiny/vocab.json"));
  std::string merges = testing::read_file(kFixtures / "gpt2_tiny/merges.txt");

  std::string message() const { return message_with(vocabulary.dump()); }
  std::string message_with(const std::string& json) const {
    write_file(folder / "vocab.json", json);
    write_file(folder / "merges.txt", merges);
    return message_of([&] { load_tokenizer(folder.path(), "gpt2"); });
  }
};

TEST_CASE_FIXTURE(BadFiles, "gpt2: a vocabulary that is none is refused, with the entry") {
  CHECK(message() == "");
  CHECK(contains(message_with(""), "vocab.json: expected a JSON object"));
  CHECK(contains(message_with("[1, 2]"), "expected a JSON object"));
  CHECK(contains(message_with("{\"a\": 0"), "expected a JSON object"));
  CHECK(contains(message_with("{\"\xFF\": 0}"), "expected a JSON object"));
  CHECK(contains(message_with(std::string(100'000, '[')), "expected a JSON object"));
  CHECK(contains(message_with("{\"a\": 0, \"a\": 1}"), "given a again for the id 1"));
  CHECK(contains(message_with("{\"a\": [0]}"), "given null for a"));
  CHECK(contains(message_with("{\"a\": {\"b\": 0}}"), "given null for a"));
  CHECK(contains(message_with("[0]"), "expected a JSON object"));
  const auto changed = [this](const std::string& token, const JsonView& id) {
    return message_with(vocabulary.with(token, id).dump());
  };
  CHECK(contains(changed("the", 3), "expected every id once, given 3 for both"));
  CHECK(contains(changed("the", 3), "the"));
  CHECK(contains(changed("the", -1), "given -1 for the"));
  CHECK(contains(changed("the", 100'000), "given 100000 for the"));
  CHECK(contains(changed("the", 18446744073709551615ul), "for the"));
  CHECK(contains(changed("the", 2.5), "given 2.5 for the"));
  CHECK(contains(changed("the", "7"), "given \"7\" for the"));
  CHECK(contains(changed("a b", vocabulary.size()), "given a b with ' '"));
  CHECK(contains(changed("日", vocabulary.size()), "characters that stand for bytes, given 日"));
  CHECK(contains(message_with(vocabulary.without({"<|endoftext|>"}).dump()),
                 "expected the token <|endoftext|>"));
}

TEST_CASE_FIXTURE(BadFiles, "gpt2: a vocabulary without one of the bytes is refused") {
  vocabulary = vocabulary.with("<|endoftext|>", vocabulary["Q"])
                   .with("QQQ", vocabulary["<|endoftext|>"])
                   .without({"Q"});
  CHECK(contains(message(), "given none for byte 81, which is written Q"));
}

TEST_CASE_FIXTURE(BadFiles, "gpt2: merges that do not fit the vocabulary are refused, by line") {
  const std::string sound = merges;
  const auto lines = count_of(sound, "\n");
  const auto with = [&](const std::string& line) {
    merges = sound + line + "\n";
    const std::string text = message();
    CAPTURE(text);
    CHECK(contains(text, "merges.txt:" + std::to_string(lines + 1) + ": expected"));
    return text;
  };
  CHECK(contains(with("Q Q"), "given QQ in the merge Q Q, which has no id"));
  CHECK(contains(with("QQ Q"), "given QQ in the merge QQ Q"));
  CHECK(contains(with("Q"), "two tokens with a space between them, given Q"));
  CHECK(contains(with("Q Q Q"), "two tokens"));
  CHECK(contains(with(" Q"), "two tokens"));
  CHECK(contains(with("Q "), "two tokens"));
  CHECK(contains(with("日 Q"), "given 日 in the merge 日 Q"));
  const std::size_t second = sound.find('\n') + 1;
  const std::string first_merge = sound.substr(second, sound.find('\n', second) - second);
  CHECK(contains(with(first_merge), "every merge once, given " + first_merge + " again"));
  vocabulary = vocabulary.with("<|endoftext|", vocabulary.size());
  CHECK(contains(with("<|endoftext| >"), "by which a text could end its own document"));
  merges = "\xFF\xFE";
  CHECK(contains(message(), "merges.txt:1:1: expected UTF-8"));
  merges = "#version: 0.2\r\n";  // no merges at all, from Windows
  CHECK(message() == "");
}

TEST_CASE("gpt2: a folder without the files is refused, with their names") {
  const testing::ScratchFolder folder;
  CHECK(contains(message_of([&] { load_tokenizer(folder.path(), "gpt2"); }),
                 "expected a folder with vocab.json or encoder.json"));
  write_file(folder / "encoder.json", testing::read_file(kFixtures / "gpt2_tiny/vocab.json"));
  CHECK(contains(message_of([&] { load_tokenizer(folder.path(), "gpt2"); }),
                 "expected a folder with merges.txt or vocab.bpe"));
}

}  // namespace
}  // namespace kette
