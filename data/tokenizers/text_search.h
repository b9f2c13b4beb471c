// Where any of some strings stands in a text, in one walk over it.
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
  /// None of them empty, each once.
  explicit TextSearch(const std::vector<std::string>& strings);

  bool is_empty() const { return lengths_.empty(); }
  std::int32_t size() const { return static_cast<std::int32_t>(strings_.size()); }
  std::string_view string(std::int32_t number) const { return strings_.text(number); }

  struct Place {
    std::size_t begin;
    std::int32_t
        string;  ///< its place in the list; TokenTable::kNone, with the end of the text: there is none
  };
  /// The first from `at` on; of those that begin at one place the longest.
  Place find(std::string_view text, std::size_t at) const;

 private:
  TokenTable strings_;
  std::vector<std::size_t> lengths_;  // falling, each once
  std::array<bool, 256> begins_{};    // by the first byte
};

}  // namespace kette
