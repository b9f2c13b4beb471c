#include "data/corpora/parallel_corpus.h"

#include <algorithm>
#include <limits>
#include <sstream>
#include <utility>

#include "data/corpora/line_joiner.h"
#include "data/corpora/pair_file.h"
#include "data/files/file_fingerprint.h"
#include "data/files/line_reader.h"
#include "data/files/text_size.h"
#include "data/trees/linear_tree.h"
#include "tensor/error.h"

namespace kette {
namespace {

using Ids = std::vector<std::int32_t>;

constexpr std::size_t kExamples = 3;
/// Lines encoded at a time: enough to keep the threads busy, few enough that text and ids of
/// dropped and million-character lines do not pile up.
constexpr std::size_t kPairsAtOnce = std::size_t{1} << 16;

void note(FilterReport::Dropped& dropped, const FilterReport::Example& example) {
  if (dropped.examples.size() < kExamples) dropped.examples.push_back(example);
  ++dropped.count;
}

/// Decides on one pair after another and keeps the report.
class Filter {
 public:
  explicit Filter(const FilterOptions& options) { report_.options = options; }

  bool keeps(std::int64_t line, std::int64_t source_tokens, std::int64_t target_tokens) {
    ++report_.read;
    FilterReport::Dropped* reason = reason_against(source_tokens, target_tokens);
    if (reason != nullptr) {
      note(*reason, {line, source_tokens, target_tokens});
      return false;
    }
    ++report_.kept;
    return true;
  }

  const FilterReport& report() const { return report_; }

 private:
  FilterReport::Dropped* reason_against(std::int64_t source_tokens, std::int64_t target_tokens) {
    const FilterOptions& options = report_.options;
    const auto [shorter, longer] = std::minmax(source_tokens, target_tokens);
    if (shorter == 0) return &report_.empty;
    if (longer > options.max_length) return &report_.too_long;
    if (options.max_ratio > 0 &&
        static_cast<double>(longer) > options.max_ratio * static_cast<double>(shorter)) {
      return &report_.ratio;
    }
    return nullptr;
  }

  FilterReport report_;
};

/// One language's lines, a block after the other.
struct Lines {
  std::string name;
  std::function<std::vector<std::string>(std::size_t most)> next;
  std::vector<std::int64_t> numbers{};  // in the file; empty: those from 1 on
};

/// Of a text in memory, which must outlive them.
Lines lines_of(const TextLines& text, const std::string& name) {
  return {name, [&text, at = std::size_t{0}](std::size_t most) mutable {
            const std::size_t count = std::min(most, text.views().size() - at);
            const auto begin = text.views().begin() + static_cast<std::ptrdiff_t>(at);
            at += count;
            return std::vector<std::string>(begin, begin + static_cast<std::ptrdiff_t>(count));
          }};
}

/// Of a file; `bytes`: about the most of a block.
Lines lines_of(const std::filesystem::path& file,
               std::size_t bytes = std::numeric_limits<std::size_t>::max()) {
  return {file.string(), [reader = std::make_shared<LineReader>(file), bytes](std::size_t most) {
            return reader->next(most, bytes);
          }};
}

/// A line for each tree, which must outlive them: what line_of(tree) gives.
Lines lines_of(const Treebank& bank, std::string (*line_of)(const Tree&)) {
  return {bank.name,
          [&bank, line_of, at = std::size_t{0}](std::size_t most) mutable {
            std::vector<std::string> lines;
            for (; at < bank.trees.size() && lines.size() < most; ++at) {
              lines.push_back(line_of(bank.trees[at]));
            }
            return lines;
          },
          bank.lines};
}

/// Lines of a block, by their places in it, that become one pair.
using Group = std::vector<std::size_t>;

/// The text of each group.
std::vector<std::string> joined(const std::vector<std::string>& lines,
                                const std::vector<Group>& groups) {
  std::vector<std::string> texts;
  for (const Group& group : groups) {
    std::string& text = texts.emplace_back(lines[group.front()]);
    for (std::size_t i = 1; i < group.size(); ++i) text += " " + lines[group[i]];
  }
  return texts;
}

using KeepPair = std::function<void(const Ids& source, const Ids& target)>;
using Encoded = std::function<void(std::int64_t pairs, std::int64_t tokens, std::int64_t bytes)>;

void check_fit(const FilterOptions& options, const Lines& side, std::int64_t line,
               const Ids& sentence) {
  const auto tokens = static_cast<std::int64_t>(sentence.size());
  KETTE_CHECK(options.must_fit == 0 || tokens <= options.must_fit, side.name, ":", line,
              ": expected at most ", options.must_fit,
              " tokens, as many as the model has positions for, given ", tokens,
              " (shorten the line, leave such lines out, or give the model more positions)");
}

/// Gives keep() the pairs that pass the filters, in order. Both sides have equally many lines.
FilterReport encode_pairs(const Lines& source, const Lines& target,
                          const SharedTokenizer& tokenizer, const FilterOptions& options,
                          const KeepPair& keep, const Encoded& encoded = {},
                          const std::string& language = {}) {
  KETTE_CHECK(options.max_length > 0, "max_length: expected at least one token, given ",
              options.max_length);
  KETTE_CHECK(options.max_ratio == 0 || options.max_ratio >= 1,
              "max_ratio: expected 0 (off) or at least 1, given ", options.max_ratio);
  KETTE_CHECK(options.join_lines > 0, "join_lines: expected at least one, given ",
              options.join_lines);
  Filter filter(options);
  LineJoiner joiner(options.join_lines, options.longest());
  std::int64_t pairs = 0, tokens = 0, bytes = 0;
  const auto encode = [&](const std::vector<std::string>& lines, Side side) {
    const std::vector<std::string_view> views(lines.begin(), lines.end());
    std::vector<Ids> ids = tokenizer->encode_all(views, side);
    if (side == Side::source) tokenizer->put_tag_before(ids, language);
    return ids;
  };
  const auto add = [&](const Ids& s, const Ids& t) {
    keep(s, t);
    ++pairs;
    tokens += static_cast<std::int64_t>(s.size() + t.size());
  };
  std::vector<std::string> sources;
  while (sources = source.next(kPairsAtOnce), !sources.empty()) {
    const std::vector<std::string> targets = target.next(sources.size());
    KETTE_CHECK(
        targets.size() == sources.size(), target.name,
        ": expected as many lines as before, given fewer (another program writes the file)");
    const std::vector<Ids> source_ids = encode(sources, Side::source),
                           target_ids = encode(targets, Side::target);
    std::vector<Group> groups;
    joiner.end();
    for (std::size_t i = 0; i < sources.size(); ++i) {
      bytes += static_cast<std::int64_t>(sources[i].size() + targets[i].size());
      const Ids &s = source_ids[i], &t = target_ids[i];
      const std::int64_t read = filter.report().read;
      const std::int64_t line = source.numbers.empty() ? read + 1 : source.numbers[read];
      if (!filter.keeps(line, std::ssize(s), std::ssize(t))) {
        joiner.end();
        continue;
      }
      check_fit(options, source, line, s);
      check_fit(options, target, line, t);
      if (!joiner.goes_on(std::ssize(s), std::ssize(t))) groups.emplace_back();
      groups.back().push_back(i);
    }
    std::vector<Group> several;
    std::copy_if(groups.begin(), groups.end(), std::back_inserter(several),
                 [](const Group& group) { return group.size() > 1; });
    const std::vector<Ids> joined_source = encode(joined(sources, several), Side::source),
                           joined_target = encode(joined(targets, several), Side::target);
    std::size_t next = 0;  // of several
    for (const Group& group : groups) {
      if (group.size() > 1) {
        const Ids &s = joined_source[next], &t = joined_target[next++];
        // Lines may be a little shorter alone, in a vocabulary of others.
        if (std::max(std::ssize(s), std::ssize(t)) <= options.longest()) {
          add(s, t);
          continue;
        }
      }
      for (const std::size_t i : group) add(source_ids[i], target_ids[i]);
    }
    if (encoded) encoded(filter.report().read, tokens, bytes);
  }
  KETTE_CHECK(filter.report().kept > 0, source.name, " and ", target.name,
              ": expected sentence pairs that pass the filters, given none\n",
              filter.report().text());
  FilterReport report = filter.report();
  report.pairs = pairs;
  return report;
}

/// The same for files, whose lines are counted first.
FilterReport encode_text(const ParallelText& text, const SharedTokenizer& tokenizer,
                         const FilterOptions& options, const KeepPair& keep,
                         const TokenizeProgress& progress) {
  const Treebank trees = text.is_trees() ? cleaned(read_trees(text.source)) : Treebank();
  const auto lines = static_cast<double>(text.is_trees() ? std::ssize(trees.trees)
                                                         : check_pairing(text.source, text.target));
  return encode_pairs(
      text.is_trees() ? lines_of(trees, sentence_of)
                      : lines_of(text.source, LineReader::kPartBytes),
      text.is_trees() ? lines_of(trees, linearised_line) : lines_of(text.target), tokenizer,
      options, keep,
      [&](std::int64_t done, std::int64_t tokens, std::int64_t bytes) {
        if (progress) progress({done, tokens, bytes}, static_cast<double>(done) / lines);
      },
      text.language);
}

/// Returns how many lines both have.
std::int64_t paired_lines(const std::string& source, std::int64_t sources,
                          const std::string& target, std::int64_t targets) {
  KETTE_CHECK(sources == targets, source, " and ", target, ": expected equally many lines, given ",
              sources, " and ", targets,
              " (line n of one must be the translation of line n of the other)");
  return sources;
}

/// What the pairs in a file depend on.
std::string made_of(const ParallelText& files, const SharedTokenizer& tokenizer,
                    const FilterOptions& options) {
  std::ostringstream text;
  text << file_fingerprint(files.source) << "; ";
  text << (files.is_trees() ? "trees" : file_fingerprint(files.target)) << "; ";
  if (!files.language.empty()) text << "language " << files.language << "; ";
  text << tokenizer->fingerprint() << "; max_length " << options.max_length << ", must_fit "
       << options.must_fit << ", max_ratio " << options.max_ratio << ", join_lines "
       << options.join_lines;
  return text.str();
}

/// Adds to what takes pairs.
template <class Taker>
KeepPair add_to(Taker& taker) {
  return [&taker](const Ids& source, const Ids& target) { taker.add(source, target); };
}

}  // namespace

std::int64_t check_pairing(const std::filesystem::path& source,
                           const std::filesystem::path& target) {
  return paired_lines(source.string(), text_size(source).lines, target.string(),
                      text_size(target).lines);
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
  FilterReport report = encode_text(text, tokenizer, options, add_to(*pairs), progress);
  return {pairs, std::move(report), tokenizer};
}

ParallelCorpus ParallelCorpus::from_lines(const TextLines& source, const std::string& source_name,
                                          const TextLines& target, const std::string& target_name,
                                          const SharedTokenizer& tokenizer,
                                          const FilterOptions& options,
                                          const std::string& language) {
  paired_lines(source_name, source.size(), target_name, target.size());
  const auto pairs = std::make_shared<PairLists>();
  FilterReport report = encode_pairs(lines_of(source, source_name), lines_of(target, target_name),
                                     tokenizer, options, add_to(*pairs), {}, language);
  return {pairs, std::move(report), tokenizer};
}

ParallelCorpus ParallelCorpus::load_or_make(const std::filesystem::path& file,
                                            const ParallelText& text,
                                            const SharedTokenizer& tokenizer,
                                            const FilterOptions& options,
                                            const TokenizeProgress& progress) {
  const std::string wanted = made_of(text, tokenizer, options);
  std::shared_ptr<const PairFile> pairs = PairFile::find(file, wanted);
  if (!pairs) {
    PairFileWriter writer(file, std::max(tokenizer->vocabulary(), tokenizer->source_vocabulary()),
                          tokenizer->special().end);
    const FilterReport report = encode_text(text, tokenizer, options, add_to(writer), progress);
    writer.finish(wanted, report);
    pairs = PairFile::open(file);
  }
  return {pairs, pairs->report(), tokenizer};
}

ParallelCorpus ParallelCorpus::from_trees(const Treebank& trees, const SharedTokenizer& tokenizer,
                                          const FilterOptions& options) {
  const auto pairs = std::make_shared<PairLists>();
  FilterReport report = encode_pairs(lines_of(trees, sentence_of), lines_of(trees, linearised_line),
                                     tokenizer, options, add_to(*pairs));
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
