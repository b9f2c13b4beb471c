// Sentence pairs as token ids: line n of the source file is translated by line n of the target
// file. Encoded once and filtered with a report; of the text little is in memory at a time. The ids are in memory or in a
// file (data/corpora/pair_file.h), and a corpus that is made of others shares theirs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "data/corpora/pair_encoder.h"
#include "data/corpora/pair_file.h"
#include "data/corpora/pair_store.h"

namespace kette {

class ParallelCorpus final : public PairStore {
 public:
  static ParallelCorpus load(const std::filesystem::path& source,
                             const std::filesystem::path& target, const SharedTokenizer& tokenizer,
                             const FilterOptions& options = {});
  static ParallelCorpus load(const ParallelText& text, const SharedTokenizer& tokenizer,
                             const FilterOptions& options, const TokenizeProgress& progress = {});
  /// The same by way of a file that keeps the ids (data/corpora/pair_file.h): made where it is not there, or damaged, or was
  /// made of something else, and read in the place of the text from then on.
  static ParallelCorpus load_or_make(const std::filesystem::path& pairs, const ParallelText& text,
                                     const SharedTokenizer& tokenizer, const FilterOptions& options,
                                     const TokenizeProgress& progress = {});

  /// From lines in memory; the names stand in errors.
  static ParallelCorpus from_lines(const TextLines& source, const std::string& source_name,
                                   const TextLines& target, const std::string& target_name,
                                   const SharedTokenizer& tokenizer,
                                   const FilterOptions& options = {},
                                   const std::string& language = {});

  /// From what else gives pairs; by way of a file of ids, too: `made_of` what.
  static ParallelCorpus from(PairEncoder encoder, const SharedTokenizer& tokenizer);
  static ParallelCorpus load_or_make(const std::filesystem::path& pairs, const std::string& made_of,
                                     const SharedTokenizer& tokenizer,
                                     const std::function<PairEncoder()>& encoder,
                                     const TokenizeProgress& progress = {});

  /// Of files whose pairs are those of one text, one after the other. must_fit: how many tokens a side of them may have.
  static ParallelCorpus of(const std::vector<std::shared_ptr<const PairFile>>& files,
                           const SharedTokenizer& tokenizer, std::int64_t must_fit);
  /// Unfiltered: synthetic data for tests and measurements.
  static ParallelCorpus of(std::shared_ptr<const PairStore> pairs);

  /// One after the other, of the same tokenizer; their reports are added up.
  static ParallelCorpus joined(const std::vector<ParallelCorpus>& parts);
  /// The targets translated to the sources.
  ParallelCorpus swapped() const;

  std::int64_t size() const override { return ends_.back(); }
  PairLengths lengths(std::int64_t pair) const override;
  PairIds read(std::int64_t pair) const override;
  /// Where each part that it was joined of ends; size() alone otherwise.
  const std::vector<std::int64_t>& ends_of_parts() const { return ends_; }
  const FilterReport& report() const { return report_; }

  /// What made the ids; nothing for of().
  const SharedTokenizer& tokenizer() const { return tokenizer_; }
  /// Of its tokenizer; of() takes its ids for those of a vocabulary of Kette's own.
  SpecialTokens special() const { return tokenizer_ ? tokenizer_->special() : SpecialTokens{}; }

 private:
  struct Store {
    std::shared_ptr<const PairStore> pairs;
    bool is_swapped;
    std::int64_t end;
  };

  ParallelCorpus() = default;
  ParallelCorpus(std::shared_ptr<const PairStore> pairs, FilterReport report,
                 SharedTokenizer tokenizer);
  /// The one with this pair, and its number there.
  std::pair<const Store&, std::int64_t> find(std::int64_t pair) const;

  std::vector<Store> stores_;
  std::vector<std::int64_t> ends_;  // of parts
  FilterReport report_;
  SharedTokenizer tokenizer_;
};

}  // namespace kette
