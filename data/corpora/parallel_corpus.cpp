#include "data/corpora/parallel_corpus.h"

#include <algorithm>
#include <utility>

#include "tensor/error.h"

namespace kette {
namespace {

/// Adds to what takes pairs.
template <class Taker>
PairEncoder::Take add_to(Taker& taker) {
  return [&taker](const auto& source, const auto& target) { taker.add(source, target); };
}

}  // namespace

ParallelCorpus ParallelCorpus::load(const std::filesystem::path& source,
                                    const std::filesystem::path& target,
                                    const SharedTokenizer& tokenizer,
                                    const FilterOptions& options) {
  return load(ParallelText{source, target}, tokenizer, options);
}

ParallelCorpus ParallelCorpus::load(const ParallelText& text, const SharedTokenizer& tokenizer,
                                    const FilterOptions& options,
                                    const TokenizeProgress& progress) {
  const auto pairs = std::make_shared<PairLists>();
  FilterReport report = PairEncoder(text, tokenizer, options).encode_all(add_to(*pairs), progress);
  return {pairs, std::move(report), tokenizer};
}

ParallelCorpus ParallelCorpus::from_lines(const TextLines& source, const std::string& source_name,
                                          const TextLines& target, const std::string& target_name,
                                          const SharedTokenizer& tokenizer,
                                          const FilterOptions& options,
                                          const std::string& language) {
  return from({source, source_name, target, target_name, tokenizer, options, language}, tokenizer);
}

ParallelCorpus ParallelCorpus::from(PairEncoder encoder, const SharedTokenizer& tokenizer) {
  const auto pairs = std::make_shared<PairLists>();
  FilterReport report = encoder.encode_all(add_to(*pairs));
  return {pairs, std::move(report), tokenizer};
}

ParallelCorpus ParallelCorpus::load_or_make(const std::filesystem::path& file,
                                            const ParallelText& text,
                                            const SharedTokenizer& tokenizer,
                                            const FilterOptions& options,
                                            const TokenizeProgress& progress) {
  const auto encoder = [&] { return PairEncoder(text, tokenizer, options); };
  return load_or_make(file, made_of(text, *tokenizer, options), tokenizer, encoder, progress);
}

ParallelCorpus ParallelCorpus::load_or_make(const std::filesystem::path& file,
                                            const std::string& made_of,
                                            const SharedTokenizer& tokenizer,
                                            const std::function<PairEncoder()>& encoder,
                                            const TokenizeProgress& progress) {
  std::shared_ptr<const PairFile> pairs = PairFile::find(file, made_of);
  if (!pairs) {
    PairFileWriter writer(file, std::max(tokenizer->vocabulary(), tokenizer->source_vocabulary()),
                          tokenizer->special().end);
    const FilterReport report = encoder().encode_all(add_to(writer), progress);
    writer.finish(made_of, report);
    pairs = PairFile::open(file);
  }
  return {pairs, pairs->report(), tokenizer};
}

ParallelCorpus ParallelCorpus::of(const std::vector<std::shared_ptr<const PairFile>>& files,
                                  const SharedTokenizer& tokenizer, std::int64_t must_fit) {
  std::vector<ParallelCorpus> corpora;
  for (const auto& file : files) corpora.push_back({file, file->report(), tokenizer});
  ParallelCorpus corpus = joined(corpora);
  corpus.ends_ = {corpus.size()};
  corpus.report_.options.must_fit = must_fit;
  return corpus;
}

ParallelCorpus ParallelCorpus::of(std::shared_ptr<const PairStore> pairs) {
  FilterReport report;
  report.read = report.kept = report.pairs = pairs->size();
  return {std::move(pairs), std::move(report), nullptr};
}

ParallelCorpus::ParallelCorpus(std::shared_ptr<const PairStore> pairs, FilterReport report,
                               SharedTokenizer tokenizer)
    : stores_{{pairs, false, pairs->size()}},
      ends_{pairs->size()},
      report_(std::move(report)),
      tokenizer_(std::move(tokenizer)) {}

ParallelCorpus ParallelCorpus::joined(const std::vector<ParallelCorpus>& parts) {
  KETTE_CHECK(!parts.empty(), "ParallelCorpus: expected parts to join, given none");
  ParallelCorpus corpus;
  corpus.tokenizer_ = parts.front().tokenizer_;
  std::vector<FilterReport> reports;
  std::int64_t begin = 0;
  for (const ParallelCorpus& part : parts) {
    for (const Store& store : part.stores_) {
      corpus.stores_.push_back({store.pairs, store.is_swapped, begin + store.end});
    }
    begin += part.size();
    corpus.ends_.push_back(begin);
    reports.push_back(part.report_);
  }
  corpus.report_ = sum_of(reports);
  return corpus;
}

ParallelCorpus ParallelCorpus::swapped() const {
  ParallelCorpus corpus = *this;
  for (Store& store : corpus.stores_) store.is_swapped = !store.is_swapped;
  return corpus;
}

std::pair<const ParallelCorpus::Store&, std::int64_t> ParallelCorpus::find(
    std::int64_t pair) const {
  const auto store =
      std::upper_bound(stores_.begin(), stores_.end(), pair,
                       [](std::int64_t number, const Store& each) { return number < each.end; });
  return {*store, pair - (store->end - store->pairs->size())};
}

PairLengths ParallelCorpus::lengths(std::int64_t pair) const {
  const auto& [store, number] = find(pair);
  PairLengths lengths = store.pairs->lengths(number);
  if (store.is_swapped) std::swap(lengths.source, lengths.target);
  return lengths;
}

PairIds ParallelCorpus::read(std::int64_t pair) const {
  const auto& [store, number] = find(pair);
  PairIds ids = store.pairs->read(number);
  if (store.is_swapped) std::swap(ids.source, ids.target);
  return ids;
}

}  // namespace kette
