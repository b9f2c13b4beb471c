#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "data/tokenizers/byte_tokenizer.h"
#include "decode/unreadable_text.h"
#include "tests/decode/letters_tokenizer.h"

TEST_CASE("unreadable text: runs of characters that become unknown, emoji with what changes them") {
  const auto tokenizer = kette::testing::letters_tokenizer();
  const auto spans = [&](const std::string& text) {
    std::vector<std::string> all;
    for (const auto& span : kette::unreadable_text(*tokenizer, text)) {
      all.emplace_back(span.of(text));
    }
    return all;
  };
  using Texts = std::vector<std::string>;
  CHECK(spans("abc 🙂 def").size() == 1);
  CHECK(spans("abc🙂🙂 def 👩‍🔬a ❤️") == Texts{"🙂🙂", "👩‍🔬", "❤️"});
  CHECK(spans("abc ﬁ def, \xFF").size() <= 2);
  CHECK(spans("abc def").empty());
  CHECK(spans("").empty());
  CHECK(kette::unreadable_text(kette::ByteTokenizer(), "🙂").empty());
}
