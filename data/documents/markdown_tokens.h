// What stands within a paragraph of Markdown: emphasis, links, code, breaks; CommonMark 0.30 with the strikethrough and
// bare addresses of GitHub, footnote references, and formulas between dollar signs.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace kette {

/// What is no plain text. What stands between two tokens is.
struct MarkdownTokens {
  struct Token {
    enum class Kind : std::uint8_t { spelled, stands, breaks, opens, closes };
    Kind kind = Kind::stands;
    std::size_t begin = 0, end = 0;
    std::size_t id = 0;  ///< of a pair; of what is spelled, its index
  };
  std::vector<Token> tokens;  ///< in their order
  std::vector<std::string> spelled;
  std::map<std::size_t, std::string>
      references;  ///< "[text]" and "[text][]": labels by the id of the pair
};

/// Of the lines of a paragraph, joined by line feeds. The labels are those of all link definitions.
MarkdownTokens read_markdown_tokens(std::string_view text, const std::set<std::string>& labels);

}  // namespace kette
