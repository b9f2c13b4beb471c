#include "data/corpora/parallel_corpus.h"

#include <utility>

#include "data/corpora/pair_file.h"
#include "data/files/text_size.h"
#include "tensor/error.h"

namespace kette {
namespace {

/// Adds to what takes pairs.
template <class Taker>
PairEncoder::Take add_to(Taker& taker) {
  return [&taker](const auto& source, const auto& target) { taker.add(source, target); };
}

}  // namespace

std::int64_t check_pairing(const std::filesystem::path& source,
                           const std::filesystem::path& target) {
  const std::int64_t sources = text_size(source).lines, targets = text_size(target).lines;
  KETTE_CHECK(sources == targets, source.string(), " and ", target.string(),
              ": expected equally many lines, given ", sources, " and ", targets,
              " (line n of one must be the translation of line n of the other)");
  return sources;
}

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
  const auto pairs = std::make_shared<PairLists>();
  FilterReport report =
      PairEncoder(source, source_name, target, target_name, tokenizer, options, language)
          .encode_all(add_to(*pairs));
  return {pairs, std::move(report), tokenizer};
}

ParallelCorpus ParallelCorpus::load_or_make(const std::filesystem::path& file,
                                            const ParallelText& text,
                                            const SharedTokenizer& tokenizer,
                                            const FilterOptions& options,
                                            const TokenizeProgress& progress) {
  const std::string wanted = made_of(text, *tokenizer, options);
  std::shared_ptr<const PairFile> pairs = PairFile::find(file, wanted);
  if (!pairs) {
    PairFileWriter writer(file, std::max(tokenizer->vocabulary(), tokenizer->source_vocabulary()),
                          tokenizer->special().end);
    const FilterReport report =
        PairEncoder(text, tokenizer, options).encode_all(add_to(writer), progress);
    writer.finish(wanted, report);
    pairs = PairFile::open(file);
  }
  return {pairs, pairs->report(), tokenizer};
}

ParallelCorpus ParallelCorpus::from_trees(const Treebank& trees, const SharedTokenizer& tokenizer,
                                          const FilterOptions& options) {
  const auto pairs = std::make_shared<PairLists>();
  FilterReport report = PairEncoder(trees, tokenizer, options).encode_all(add_to(*pairs));
  return {pairs, std::move(report), tokenizer};
}

ParallelCorpus ParallelCorpus::of(std::shared_ptr<const PairStore> pairs) {
  FilterReport report;
  report.read = report.kept = report.pairs = pairs->size();
  return {std::move(pairs), std::move(report), nullptr};
}

ParallelCorpus::ParallelCorpus(std::shared_ptr<const PairStore> pairs, FilterReport report,
                               SharedTokenizer tokenizer)
    : parts_{{pairs, false, pairs->size()}},
      report_(std::move(report)),
      tokenizer_(std::move(tokenizer)) {}

ParallelCorpus ParallelCorpus::joined(const std::vector<ParallelCorpus>& parts) {
  KETTE_CHECK(!parts.empty(), "ParallelCorpus: expected parts to join, given none");
  ParallelCorpus corpus;
  corpus.tokenizer_ = parts.front().tokenizer_;
  std::vector<FilterReport> reports;
  std::int64_t begin = 0;
  for (const ParallelCorpus& part : parts) {
    for (const Part& each : part.parts_) {
      corpus.parts_.push_back({each.pairs, each.is_swapped, begin + each.end});
    }
    begin += part.size();
    reports.push_back(part.report_);
  }
  corpus.report_ = sum_of(reports);
  return corpus;
}

ParallelCorpus ParallelCorpus::swapped() const {
  ParallelCorpus corpus = *this;
  for (Part& part : corpus.parts_) part.is_swapped = !part.is_swapped;
  return corpus;
}

std::vector<std::int64_t> ParallelCorpus::ends_of_parts() const {
  std::vector<std::int64_t> ends;
  for (const Part& part : parts_) ends.push_back(part.end);
  return ends;
}

std::pair<const ParallelCorpus::Part&, std::int64_t> ParallelCorpus::part_of(
    std::int64_t pair) const {
  std::size_t part = 0;
  while (pair >= parts_[part].end) ++part;
  return {parts_[part], part > 0 ? pair - parts_[part - 1].end : pair};
}

PairLengths ParallelCorpus::lengths(std::int64_t pair) const {
  const auto& [part, number] = part_of(pair);
  PairLengths lengths = part.pairs->lengths(number);
  if (part.is_swapped) std::swap(lengths.source, lengths.target);
  return lengths;
}

PairIds ParallelCorpus::read(std::int64_t pair) const {
  const auto& [part, number] = part_of(pair);
  PairIds ids = part.pairs->read(number);
  if (part.is_swapped) std::swap(ids.source, ids.target);
  return ids;
}

}  // namespace kette
