#include "data/parallel_corpus.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "tensor/error.h"

namespace kette {
namespace {

constexpr std::size_t kExamples = 3;
/// Lines encoded at a time: enough to keep the threads busy, few enough that the ids of dropped and
/// million-character lines do not pile up.
constexpr std::int64_t kBlock = 1 << 16;

void note(FilterReport::Dropped& dropped, const FilterReport::Example& example) {
  if (dropped.examples.size() < kExamples) dropped.examples.push_back(example);
  ++dropped.count;
}

/// Decides on one pair after another and keeps the report.
class Filter {
 public:
  explicit Filter(const FilterOptions& options) { report_.options = options; }

  bool keeps(std::int64_t line, std::string_view source, std::string_view target,
             std::int64_t source_tokens, std::int64_t target_tokens) {
    ++report_.read;
    FilterReport::Dropped* reason = reason_against(source, target, source_tokens, target_tokens);
    if (reason != nullptr) {
      note(*reason, {line, source_tokens, target_tokens});
      return false;
    }
    ++report_.kept;
    return true;
  }

  const FilterReport& report() const { return report_; }

 private:
  FilterReport::Dropped* reason_against(std::string_view source, std::string_view target,
                                        std::int64_t source_tokens, std::int64_t target_tokens) {
    const FilterOptions& options = report_.options;
    const auto [shorter, longer] = std::minmax(source_tokens, target_tokens);
    if (options.drop_empty && shorter == 0) return &report_.empty;
    if (longer > options.max_length) return &report_.too_long;
    if (options.max_ratio > 0 &&
        static_cast<double>(longer) > options.max_ratio * static_cast<double>(shorter)) {
      return &report_.ratio;
    }
    if (options.drop_duplicates) {
      const bool is_new = seen_.insert(std::string(source) + '\n' + std::string(target)).second;
      if (!is_new) return &report_.duplicates;
    }
    return nullptr;
  }

  FilterReport report_;
  std::unordered_set<std::string> seen_;
};

}  // namespace

ParallelCorpus ParallelCorpus::load(const std::filesystem::path& source,
                                    const std::filesystem::path& target, const Tokenizer& tokenizer,
                                    const FilterOptions& options) {
  return from_lines(read_lines(source), source.string(), read_lines(target), target.string(),
                    tokenizer, options);
}

ParallelCorpus ParallelCorpus::from_lines(const TextLines& source, const std::string& source_name,
                                          const TextLines& target, const std::string& target_name,
                                          const Tokenizer& tokenizer,
                                          const FilterOptions& options) {
  KETTE_CHECK(options.max_length > 0, "max_length: expected at least one token, given ",
              options.max_length);
  KETTE_CHECK(options.max_ratio == 0 || options.max_ratio >= 1,
              "max_ratio: expected 0 (off) or at least 1, given ", options.max_ratio);
  KETTE_CHECK(source.size() == target.size(), source_name, " and ", target_name,
              ": expected equally many lines, given ", source.size(), " and ", target.size(),
              " (line n of one must be the translation of line n of the other)");
  ParallelCorpus corpus;
  corpus.tokenizer_ = tokenizer;
  Filter filter(options);
  const auto encode = [&](const TextLines& lines, Side side, std::int64_t first,
                          std::int64_t count) {
    return tokenizer.encode_all(
        std::span(lines.views())
            .subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count)),
        side);
  };
  for (std::int64_t first = 0; first < source.size(); first += kBlock) {
    const std::int64_t count = std::min(kBlock, source.size() - first);
    const auto source_ids = encode(source, Side::source, first, count);
    const auto target_ids = encode(target, Side::target, first, count);
    for (std::size_t i = 0; i < source_ids.size(); ++i) {
      const std::int64_t line = first + static_cast<std::int64_t>(i);
      if (filter.keeps(line + 1, source[line], target[line],
                       static_cast<std::int64_t>(source_ids[i].size()),
                       static_cast<std::int64_t>(target_ids[i].size()))) {
        corpus.source_.add(source_ids[i]);
        corpus.target_.add(target_ids[i]);
      }
    }
  }
  corpus.report_ = filter.report();
  KETTE_CHECK(corpus.size() > 0, source_name, " and ", target_name,
              ": expected sentence pairs that pass the filters, given none\n",
              corpus.report_.text());
  return corpus;
}

ParallelCorpus ParallelCorpus::from_tokens(TokenLists source, TokenLists target) {
  KETTE_CHECK(source.size() == target.size() && source.size() > 0,
              "ParallelCorpus: expected equally many sentences on both sides, given ",
              source.size(), " and ", target.size());
  ParallelCorpus corpus;
  corpus.report_.read = corpus.report_.kept = source.size();
  corpus.source_ = std::move(source);
  corpus.target_ = std::move(target);
  return corpus;
}

}  // namespace kette
