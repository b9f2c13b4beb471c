// Tables of words, embedded in the program (the files *.tsv here, by cmake/embed.cmake). The first
// line names the columns, which are separated by tabs. Cells missing at the end of a line are
// empty. A line that begins with # is a comment.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kette::bundled {

extern const std::string_view nouns_tsv, adjectives_tsv, verbs_tsv, modals_tsv, prepositions_tsv,
    phrases_tsv;

std::vector<std::string_view> split_at(char separator, std::string_view text);

class WordRow {
 public:
  WordRow(std::string place, std::map<std::string, std::string> cells)
      : place_(std::move(place)), cells_(std::move(cells)) {}

  /// An unknown column is an Error.
  const std::string& operator[](const std::string& column) const;
  /// Whether the cell is "yes"; else it must be empty.
  bool is(const std::string& column) const;
  /// The value that the word in a cell names.
  template <class Names>
  auto named(const std::string& column, const Names& names) const {
    return named((*this)[column], column, names);
  }
  /// The values of all words in a cell, combined by |.
  template <class Names>
  auto all_named(const std::string& column, const Names& names) const {
    decltype(std::begin(names)->second) all{};
    const std::string& cell = (*this)[column];
    if (cell.empty()) return all;
    for (const std::string_view word : split_at(' ', cell)) {
      all |= named(std::string(word), column, names);
    }
    return all;
  }

 private:
  template <class Names>
  auto named(const std::string& word, const std::string& column, const Names& names) const {
    std::vector<std::string> known;
    for (const auto& [name, value] : names) {
      if (name == word) return value;
      known.emplace_back(name);
    }
    refuse(column, known, word);
  }
  [[noreturn]] void refuse(const std::string& column, const std::vector<std::string>& known,
                           const std::string& given) const;

  std::string place_;  // "nouns.tsv:12"
  std::map<std::string, std::string> cells_;
};

/// An Error has file, line and column.
std::vector<WordRow> read_words(std::string_view text, const std::string& file);

}  // namespace kette::bundled
