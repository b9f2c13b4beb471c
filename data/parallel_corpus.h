// Sentence pairs as token ids: line n of the source file is translated by line n of the target
// file. Encoded once, filtered with a report, stored flat.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "data/filter_report.h"
#include "data/text_file.h"
#include "data/token_lists.h"
#include "data/tokenizer.h"

namespace kette {

class ParallelCorpus {
 public:
  static ParallelCorpus load(const std::filesystem::path& source,
                             const std::filesystem::path& target, const Tokenizer& tokenizer,
                             const FilterOptions& options = {});

  /// From lines in memory; the names stand in errors.
  static ParallelCorpus from_lines(const TextLines& source, const std::string& source_name,
                                   const TextLines& target, const std::string& target_name,
                                   const Tokenizer& tokenizer, const FilterOptions& options = {});

  /// From ids without begin and end, unfiltered: synthetic data for tests and measurements.
  static ParallelCorpus from_tokens(TokenLists source, TokenLists target);

  std::int64_t size() const { return source_.size(); }
  const TokenLists& source() const { return source_; }
  const TokenLists& target() const { return target_; }
  const FilterReport& report() const { return report_; }

  /// What made the ids; nothing for from_tokens.
  const std::optional<Tokenizer>& tokenizer() const { return tokenizer_; }
  /// Of its tokenizer; from_tokens takes its ids for those of a vocabulary of Kette's own.
  SpecialTokens special() const { return tokenizer_ ? tokenizer_->special() : SpecialTokens{}; }

 private:
  TokenLists source_, target_;
  FilterReport report_;
  std::optional<Tokenizer> tokenizer_;
};

}  // namespace kette
