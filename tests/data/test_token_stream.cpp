// Ids of several files, read as if they were of one.
#include <doctest/doctest.h>

#include <numeric>

#include "data/corpora/token_stream.h"
#include "tests/data/tiny_text.h"
#include "tests/support.h"

namespace kette {
namespace {

using testing::contains;
using testing::message_of;
using Ids = std::vector<std::int32_t>;

/// A file of `count` ids from `first` on.
TokenFile file_of(const std::filesystem::path& path, std::int32_t first, std::int64_t count,
                  const std::string& tokenizer = "counting") {
  Ids ids(static_cast<std::size_t>(count));
  std::iota(ids.begin(), ids.end(), first);
  TokenFileWriter writer(path, 100);
  writer.append(ids);
  writer.finish({tokenizer, 100, 99, 2, 3 * count});
  return TokenFile::open(path);
}

TEST_CASE("token stream: any part of files one after the other, and parts of parts") {
  const testing::ScratchFolder folder;
  const TokenStream text({file_of(folder / "a", 0, 5), file_of(folder / "b", 5, 0),
                          file_of(folder / "c", 5, 7), file_of(folder / "d", 12, 3)});
  CHECK(text.size() == 15);
  CHECK(text.info().documents == 8);
  CHECK(text.info().bytes == 45);
  CHECK(text.name() == (folder / "a").string());
  const auto check_part = [](const TokenStream& of, std::int32_t first) {
    for (std::int64_t begin = 0; begin <= of.size(); ++begin) {
      for (std::int64_t count = 0; begin + count <= of.size(); ++count) {
        Ids expected(static_cast<std::size_t>(count));
        std::iota(expected.begin(), expected.end(), first + static_cast<std::int32_t>(begin));
        REQUIRE(of.copy(begin, count) == expected);
        const TokenStream part = of.part(begin, count);
        REQUIRE(part.size() == count);
        REQUIRE(part.copy(0, count) == expected);
      }
    }
  };
  check_part(text, 0);
  check_part(text.part(3, 11), 3);
  check_part(TokenStream::joined({text.part(0, 6), text.part(6, 9)}), 0);
  CHECK(text.part(1, 3).info().bytes == 15);  // of the one file that it lies in
}

TEST_CASE("token stream: what is not there, or is of another tokenizer, is told") {
  const testing::ScratchFolder folder;
  const TokenFile file = file_of(folder / "a", 0, 5);
  const TokenStream text(file);
  CHECK(
      contains(message_of([&] { text.copy(3, 3); }), "a: expected some of its 5 tokens, given 3"));
  CHECK_THROWS_AS(text.part(-1, 2), Error);
  CHECK_THROWS_AS(text.copy(0, -1), Error);
  CHECK_THROWS_AS(TokenStream(std::vector<TokenFile>{}), Error);
  CHECK(contains(message_of([&] {
                   TokenStream({file, file_of(folder / "b", 0, 5, "other")});
                 }),
                 "b: expected tokens of the tokenizer counting"));
}

}  // namespace
}  // namespace kette
