// Sentence pairs as ids on disk, so that text need not be encoded again: a token file
// (data/corpora/token_file.h) whose documents are a source, its target, the next source, ...
// Written in bounded memory, read in one go.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "data/corpora/filter_report.h"
#include "data/corpora/token_file.h"
#include "data/corpora/token_lists.h"

namespace kette {

struct Pairs {
  TokenLists source, target;
  FilterReport report;
};

class PairFileWriter {
 public:
  /// end: the id that ends sentences, which is in none of them.
  PairFileWriter(const std::filesystem::path& path, std::int64_t vocabulary, std::int32_t end);

  void add(std::span<const std::int32_t> source, std::span<const std::int32_t> target);
  /// made_of: names the text, the tokenizer and the filters.
  void finish(const std::string& made_of, const FilterReport& report);

 private:
  TokenFileWriter file_;
  std::int64_t vocabulary_, pairs_ = 0, source_tokens_ = 0, target_tokens_ = 0;
  std::int32_t end_;
};

/// The pairs of a file that is known to be whole. Throws where it cannot be read.
Pairs read_pairs(const std::filesystem::path& path);
/// The pairs of the file; nothing if there is none, or it was made of something else, or is
/// damaged: then it is to be made anew.
std::optional<Pairs> read_pairs(const std::filesystem::path& path, const std::string& made_of);

}  // namespace kette
