// The inline structure of a paragraph of Markdown: emphasis, links, code, breaks; CommonMark 0.30
// with GitHub's strikethrough and bare addresses, footnote references, and formulas in dollar
// signs.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace kette {

/// All that is not plain text; plain text is between the tokens.
struct MarkdownTokens {
  struct Token {
    enum class Kind : std::uint8_t { spelled, stands, breaks, opens, closes };
    Kind kind = Kind::stands;
    std::size_t begin = 0, end = 0;
    std::size_t id = 0;  ///< of a pair; for `spelled`: its index
  };
  std::vector<Token> tokens;  ///< in text order
  std::vector<std::string> spelled;
  std::map<std::size_t, std::string>
      references;  ///< labels of "[text]" and "[text][]", by the pair's id
};

/// text: the lines of a paragraph, joined by line feeds. labels: of all link definitions.
MarkdownTokens read_markdown_tokens(std::string_view text, const std::set<std::string>& labels);

}  // namespace kette
