// Searches a text for any of several strings in one pass.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "data/tokenizers/token_table.h"

namespace kette {

class TextSearch {
 public:
  TextSearch() = default;
  /// The strings must be distinct and not empty.
  explicit TextSearch(const std::vector<std::string>& strings);

  bool is_empty() const { return lengths_.empty(); }
  std::int32_t size() const { return static_cast<std::int32_t>(strings_.size()); }
  std::string_view string(std::int32_t number) const { return strings_.text(number); }

  struct Place {
    std::size_t begin;
    std::int32_t string;  ///< its index; if none is found: TokenTable::kNone, at the text's end
  };
  /// The first match from `at` on; the longest of those at one place.
  Place find(std::string_view text, std::size_t at) const;

 private:
  TokenTable strings_;
  std::vector<std::size_t> lengths_;  // descending, distinct
  std::array<bool, 256> begins_{};    // by the first byte
};

}  // namespace kette
