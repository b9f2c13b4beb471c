// What a bracket score ignores and treats as equal. evalb reads it from a parameter file (.prm),
// with one keyword and value per line and # for comments:
//   DELETE_LABEL L              ignores brackets with this label, and words with this tag
//   DELETE_LABEL_FOR_LENGTH L   ignores these in the length of a sentence
//   EQ_LABEL A B, EQ_WORD A B   are equal, in either order; not transitive
//   QUOTE_LABEL L               restores ' " and / with this tag if only one side left them out
//   LABELED 0                   ignores labels
//   CUTOFF_LEN N                a second block for sentences of at most N words (40)
//   MAX_ERROR N                 ends after more than N + 1 sentences whose words differ (10)
// DEBUG is accepted and has no effect.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data/files/text_file.h"

namespace kette {

/// Defaults: Collins' COLLINS.prm, with any number of errors and without roots (data/trees/tree.h).
struct BracketParameters {
  using Labels = std::set<std::string, std::less<>>;
  using Pairs = std::vector<std::pair<std::string, std::string>>;

  std::string name = "COLLINS";  ///< in signatures
  Labels deleted = {"TOP", "-NONE-", ",", ":", "``", "''", "."};
  Labels deleted_for_length = {"-NONE-"};
  Labels quotes;
  Pairs same_labels = {{"ADVP", "PRT"}}, same_words;
  bool labelled = true;
  std::int64_t cutoff = 40;                 ///< words
  std::optional<std::int64_t> most_errors;  ///< sentences
  bool counts_roots = false;

  bool are_same_labels(std::string_view a, std::string_view b) const;
  bool are_same_words(std::string_view a, std::string_view b) const;
  /// label: of a bracket, cut at its first - or =. A label that is equal to a deleted one is
  /// deleted, too.
  bool is_deleted_bracket(std::string_view label) const;
};

/// Reads a parameter file; with it a root counts unless its label is deleted. Any other line is an
/// Error with name and line number.
BracketParameters parse_bracket_parameters(const TextLines& text, const std::string& name);
/// Takes the file's name without .prm as name.
BracketParameters read_bracket_parameters(const std::filesystem::path& file);

}  // namespace kette
