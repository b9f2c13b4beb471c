// What a score of brackets leaves out and takes for equal. evalb reads it of a parameter file (.prm), a keyword and its value a
// line and # for comments:
//   DELETE_LABEL L              brackets of this label do not count, nor do words with this tag
//   DELETE_LABEL_FOR_LENGTH L   nor these in the length of a sentence
//   EQ_LABEL A B, EQ_WORD A B   are the same, in either order; A as B and B as C do not make A as C
//   QUOTE_LABEL L               ' " and / with this tag are put back where one side alone left them out
//   LABELED 0                   labels are of no account
//   CUTOFF_LEN N                a second block of the sentences of at most N words (40)
//   MAX_ERROR N                 more than N + 1 sentences whose words differ end it (10)
// DEBUG is read and has no effect.
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

/// As they stand: those of Collins, COLLINS.prm, of any number of errors, and without roots (data/trees/tree.h).
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
  /// Of a bracket, without what follows its first - or =; a label that is the same as a deleted one is, too.
  bool is_deleted_bracket(std::string_view label) const;
};

/// Those of a file, in which a root counts unless its label is deleted. A line that says nothing of the above is an Error with
/// the name and its number.
BracketParameters parse_bracket_parameters(const TextLines& text, const std::string& name);
/// Their name is the file's without .prm.
BracketParameters read_bracket_parameters(const std::filesystem::path& file);

}  // namespace kette
