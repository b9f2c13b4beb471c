// Sentence pairs as ids on disk, so that text need not be encoded again: a token file
// (data/corpora/token_file.h) whose documents are a source, its target, the next source, ..., and their lengths. Of what is
// read the lengths are in memory, four bytes a pair.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "data/corpora/filter_report.h"
#include "data/corpora/pair_store.h"
#include "data/corpora/token_file.h"

namespace kette {

class PairFileWriter {
 public:
  /// end: the id that ends sentences, which is in none of them.
  PairFileWriter(const std::filesystem::path& path, std::int64_t vocabulary, std::int32_t end);

  void add(std::span<const std::int32_t> source, std::span<const std::int32_t> target);
  /// made_of: names the text, the tokenizer and the filters.
  void finish(const std::string& made_of, const FilterReport& report);

 private:
  TokenFileWriter file_;
  std::int64_t vocabulary_;
  std::int32_t end_;
  std::vector<std::int32_t> lengths_;
};

class PairFile final : public PairStore {
 public:
  static std::shared_ptr<const PairFile> open(const std::filesystem::path& path);
  /// Nothing if there is none, or it was made of something else, or is damaged: then it is to be made anew.
  static std::shared_ptr<const PairFile> find(const std::filesystem::path& path,
                                              const std::string& made_of);

  const FilterReport& report() const { return report_; }
  const std::string& made_of() const { return file_.info().made_of; }
  std::int64_t size() const override { return std::ssize(lengths_) / 2; }
  PairLengths lengths(std::int64_t pair) const override;
  PairIds read(std::int64_t pair) const override;

 private:
  explicit PairFile(TokenFile file);

  TokenFile file_;
  FilterReport report_;
  /// Of a source, its target, the next source ...; of one that is longer than fits, which is rare, the place in longer_.
  std::vector<std::uint16_t> lengths_;
  std::map<std::int64_t, std::int64_t> longer_;
  std::vector<std::int64_t> begins_;  // of some pairs, in the file
};

}  // namespace kette
