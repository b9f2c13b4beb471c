// Sentence pairs as token ids: line n of the source file is translated by line n of the target
// file. Encoded once, filtered with a report, stored flat; of the text little is in memory at a
// time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "data/corpora/filter_report.h"
#include "data/corpora/token_lists.h"
#include "data/corpora/tokenize_files.h"
#include "data/files/text_file.h"
#include "data/tokenizers/tokenizer.h"
#include "data/trees/tree.h"

namespace kette {

/// Throws unless both files have equally many lines; how many. Quick: nothing is encoded.
std::int64_t check_pairing(const std::filesystem::path& source,
                           const std::filesystem::path& target);

/// Two files, line by line, on their own or mixed with others. Or without a target one of trees, whose words
/// are translated to the trees as symbols (data/trees/linear_tree.h).
struct ParallelText {
  std::filesystem::path source, target{};
  /// Of the target: its tag (Tokenizer::tag_of()) comes before every source. Empty: none does.
  std::string language{};

  bool is_trees() const { return target.empty(); }
};

class ParallelCorpus {
 public:
  static ParallelCorpus load(const std::filesystem::path& source,
                             const std::filesystem::path& target, const SharedTokenizer& tokenizer,
                             const FilterOptions& options = {});
  static ParallelCorpus load(const ParallelText& text, const SharedTokenizer& tokenizer,
                             const FilterOptions& options, const TokenizeProgress& progress = {});
  /// The same by way of a file that keeps the ids (data/corpora/pair_file.h): made where it is not
  /// there or was made of something else, and read in the place of the text from then on.
  static ParallelCorpus load_or_make(const std::filesystem::path& pairs, const ParallelText& text,
                                     const SharedTokenizer& tokenizer, const FilterOptions& options,
                                     const TokenizeProgress& progress = {});

  /// From lines in memory; the names stand in errors.
  static ParallelCorpus from_lines(const TextLines& source, const std::string& source_name,
                                   const TextLines& target, const std::string& target_name,
                                   const SharedTokenizer& tokenizer,
                                   const FilterOptions& options = {},
                                   const std::string& language = {});

  /// Of cleaned trees; the tokenizer is one for them.
  static ParallelCorpus from_trees(const Treebank& trees, const SharedTokenizer& tokenizer,
                                   const FilterOptions& options = {});

  /// From ids without begin and end, unfiltered: synthetic data for tests and measurements.
  static ParallelCorpus from_tokens(TokenLists source, TokenLists target);

  /// One after the other, of the same tokenizer; their reports are added up.
  static ParallelCorpus joined(const std::vector<ParallelCorpus>& parts);
  /// The targets translated to the sources.
  ParallelCorpus swapped() const;

  std::int64_t size() const { return source_.size(); }
  /// Where each part that it was joined of ends; size() alone otherwise.
  std::vector<std::int64_t> ends_of_parts() const;
  const TokenLists& source() const { return source_; }
  const TokenLists& target() const { return target_; }
  const FilterReport& report() const { return report_; }

  /// What made the ids; nothing for from_tokens.
  const SharedTokenizer& tokenizer() const { return tokenizer_; }
  /// Of its tokenizer; from_tokens takes its ids for those of a vocabulary of Kette's own.
  SpecialTokens special() const { return tokenizer_ ? tokenizer_->special() : SpecialTokens{}; }

 private:
  ParallelCorpus() = default;
  explicit ParallelCorpus(const SharedTokenizer& tokenizer) : tokenizer_(tokenizer) {}
  std::function<void(const std::vector<std::int32_t>& source,
                     const std::vector<std::int32_t>& target)>
  adder();

  TokenLists source_, target_;
  std::vector<std::int64_t> ends_;  // of parts; empty: of one
  FilterReport report_;
  SharedTokenizer tokenizer_;
};

}  // namespace kette
