// Sentence pairs as token ids: line n of the source file is translated by line n of the target
// file. Encoded once, filtered with a report, stored flat.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/filter_report.h"
#include "data/text_file.h"
#include "data/token_lists.h"
#include "data/tokenizer.h"

namespace kette {

class ParallelCorpus {
 public:
  /// keep_text holds on to the tokenizer and the lines, for BPE-dropout.
  static ParallelCorpus load(const std::filesystem::path& source,
                             const std::filesystem::path& target, const Tokenizer& tokenizer,
                             const FilterOptions& options = {}, bool keep_text = false);

  /// From lines in memory; the names stand in errors.
  static ParallelCorpus from_lines(const TextLines& source, const std::string& source_name,
                                   const TextLines& target, const std::string& target_name,
                                   const Tokenizer& tokenizer, const FilterOptions& options = {},
                                   bool keep_text = false);

  /// From ids without begin and end, unfiltered: synthetic data for tests and measurements.
  static ParallelCorpus from_tokens(TokenLists source, TokenLists target);

  std::int64_t size() const { return source_.size(); }
  const TokenLists& source() const { return source_; }
  const TokenLists& target() const { return target_; }
  const FilterReport& report() const { return report_; }

  struct Text {
    Tokenizer tokenizer;
    TextLines source, target;
    std::vector<std::int64_t> lines;  // where pair i stands in them

    std::string_view source_of(std::int64_t i) const { return source[at(i)]; }
    std::string_view target_of(std::int64_t i) const { return target[at(i)]; }

   private:
    std::int64_t at(std::int64_t i) const { return lines[static_cast<std::size_t>(i)]; }
  };
  /// Nothing without keep_text.
  const std::optional<Text>& text() const { return text_; }

 private:
  TokenLists source_, target_;
  FilterReport report_;
  std::optional<Text> text_;
};

}  // namespace kette
