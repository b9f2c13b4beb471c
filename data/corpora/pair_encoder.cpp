#include "data/corpora/pair_encoder.h"

#include <algorithm>
#include <memory>
#include <sstream>
#include <utility>

#include "data/checks/pair_filter.h"
#include "data/corpora/line_joiner.h"
#include "data/files/file_fingerprint.h"
#include "data/files/line_reader.h"
#include "tensor/error.h"

namespace kette {
namespace {

constexpr std::size_t kExamples = 3;
/// Lines encoded at a time: enough to keep the threads busy, few enough that text and ids of
/// dropped and million-character lines do not pile up.
constexpr std::int64_t kPairsAtOnce = std::int64_t{1} << 16;

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

  /// What was decided before.
  bool leaves_out() {
    ++report_.read;
    return false;
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

FaultyLines faulty_lines(const PairFilter* odd) {
  return odd != nullptr && odd->takes_faulty_lines() ? FaultyLines::kept : FaultyLines::refused;
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

}  // namespace

PairEncoder::Lines PairEncoder::of_text(const TextLines& text, const std::string& name) {
  return {name, [&text, at = std::size_t{0}](std::size_t most) mutable {
            const std::size_t count = std::min(most, text.views().size() - at);
            const auto begin = text.views().begin() + static_cast<std::ptrdiff_t>(at);
            at += count;
            return std::vector<std::string>(begin, begin + static_cast<std::ptrdiff_t>(count));
          }};
}

/// bytes: about the most of a part.
PairEncoder::Lines PairEncoder::of_file(const TextColumn& text, std::size_t bytes,
                                        FaultyLines faulty) {
  const auto reader = std::make_shared<LineReader>(text, LineLimits(), faulty);
  return {text.name(), [reader, bytes](std::size_t most) { return reader->next(most, bytes); },
          [reader] { return reader->share(); }, [reader] { return reader->faults(); }};
}

PairEncoder::PairEncoder(Lines source, Lines target, const SharedTokenizer& tokenizer,
                         const FilterOptions& options, std::string language)
    : source_(std::move(source)),
      target_(std::move(target)),
      tokenizer_(tokenizer),
      options_(options),
      language_(std::move(language)) {
  KETTE_CHECK(options.max_length > 0, "max_length: expected at least one token, given ",
              options.max_length);
  KETTE_CHECK(options.max_ratio == 0 || options.max_ratio >= 1,
              "max_ratio: expected 0 (off) or at least 1, given ", options.max_ratio);
  KETTE_CHECK(options.join_lines > 0, "join_lines: expected at least one, given ",
              options.join_lines);
}

PairEncoder::PairEncoder(const ParallelText& text, const SharedTokenizer& tokenizer,
                         const FilterOptions& options, PairFilter* odd)
    : PairEncoder(of_file(text.source, LineReader::kPartBytes, faulty_lines(odd)),
                  of_file(text.target, std::numeric_limits<std::size_t>::max(), faulty_lines(odd)),
                  tokenizer, options, text.language) {
  odd_ = odd;
  if (odd_ != nullptr) odd_->begin(text);
}

PairEncoder::PairEncoder(const TextLines& source, const std::string& source_name,
                         const TextLines& target, const std::string& target_name,
                         const SharedTokenizer& tokenizer, const FilterOptions& options,
                         const std::string& language)
    : PairEncoder(of_text(source, source_name), of_text(target, target_name), tokenizer, options,
                  language) {}

PairEncoder::Part PairEncoder::next(std::int64_t most) {
  Part part{source_.next(static_cast<std::size_t>(most)), {}};
  // At the end of the sources one target more would be too many.
  part.targets = target_.next(std::max<std::size_t>(1, part.sources.size()));
  std::int64_t sources = std::ssize(part.sources), targets = std::ssize(part.targets);
  if (sources != targets) {
    const auto rest = [](const Lines& side) {
      std::int64_t count = 0;
      for (std::int64_t more = 1; more > 0; count += more)
        more = std::ssize(side.next(kPairsAtOnce));
      return count;
    };
    sources += rest(source_);
    targets += rest(target_);
    fail(source_.name, " and ", target_.name, ": expected equally many lines, given ",
         lines_ + sources, " and ", lines_ + targets,
         " (line n of one must be the translation of line n of the other)");
  }
  lines_ += sources;
  const auto bytes = [](const std::vector<std::string>& lines) {
    std::int64_t sum = 0;
    for (const std::string& line : lines) sum += std::ssize(line) + 1;
    return sum;
  };
  source_bytes_ += bytes(part.sources);
  target_bytes_ += bytes(part.targets);
  return part;
}

std::int64_t PairEncoder::skip(std::int64_t lines) {
  const std::int64_t before = lines_;
  while (lines_ < before + lines) {
    const Part part = next(std::min(kPairsAtOnce, before + lines - lines_));
    if (part.sources.empty()) break;
    if (odd_ != nullptr) odd_->skip(part.sources, part.targets);
  }
  return lines_ - before;
}

std::vector<bool> PairEncoder::leave_out(Part& part, std::int64_t first) const {
  if (odd_ == nullptr) return std::vector<bool>(part.sources.size(), true);
  CheckedPairs pairs{{std::move(part.sources), source_.faults()},
                     {std::move(part.targets), target_.faults()},
                     first + 1};
  std::vector<bool> stays = odd_->keeps(pairs);
  part = {std::move(pairs.source.lines), std::move(pairs.target.lines)};
  for (std::size_t i = 0; i < stays.size(); ++i) {
    if (stays[i]) continue;
    part.sources[i].clear();
    part.targets[i].clear();
  }
  return stays;
}

std::vector<PairEncoder::Ids> PairEncoder::ids_of(const std::vector<std::string>& lines,
                                                  Side side) const {
  const std::vector<std::string_view> views(lines.begin(), lines.end());
  std::vector<Ids> ids = tokenizer_->encode_all(views, side);
  if (side == Side::target) return ids;
  for (Ids& source : ids) tokenizer_->put_tag_before(source, language_);
  return ids;
}

/// Of line `line` of all, from 0 on, in the file.
std::int64_t PairEncoder::number_of(std::int64_t line) const {
  return source_.numbers.empty() ? line + 1 : source_.numbers[line];
}

void PairEncoder::check_fit(const Lines& side, std::int64_t line, const Ids& sentence) const {
  KETTE_CHECK(options_.must_fit == 0 || std::ssize(sentence) <= options_.must_fit, side.name, ":",
              line, ": expected at most ", options_.must_fit,
              " tokens, as many as the model has positions for, given ", sentence.size(),
              " (shorten the line, leave such lines out, or give the model more positions)");
}

FilterReport PairEncoder::encode(const Take& take, std::int64_t lines,
                                 const TokenizeProgress& progress) {
  Filter filter(options_);
  LineJoiner joiner(options_.join_lines, options_.longest());
  std::int64_t pairs = 0;
  const auto add = [&](const Ids& source, const Ids& target) {
    take(source, target);
    ++pairs;
    tokens_ += std::ssize(source) + std::ssize(target);
  };
  const std::int64_t begin = lines_;
  while (lines_ - begin < lines) {
    const std::int64_t first = lines_;
    Part part = next(std::min(kPairsAtOnce, lines - (lines_ - begin)));
    if (part.sources.empty()) break;
    const std::vector<bool> stays = leave_out(part, first);
    const auto& [sources, targets] = part;
    const std::vector<Ids> source_ids = ids_of(sources, Side::source),
                           target_ids = ids_of(targets, Side::target);
    std::vector<Group> groups;
    joiner.end();
    for (std::size_t i = 0; i < sources.size(); ++i) {
      const Ids &s = source_ids[i], &t = target_ids[i];
      const std::int64_t line = number_of(first + static_cast<std::int64_t>(i));
      if (!(stays[i] ? filter.keeps(line, std::ssize(s), std::ssize(t)) : filter.leaves_out())) {
        joiner.end();
        continue;
      }
      check_fit(source_, line, s);
      check_fit(target_, line, t);
      if (!joiner.goes_on(std::ssize(s), std::ssize(t))) groups.emplace_back();
      groups.back().push_back(i);
    }
    std::vector<Group> several;
    std::copy_if(groups.begin(), groups.end(), std::back_inserter(several),
                 [](const Group& group) { return group.size() > 1; });
    const std::vector<Ids> joined_source = ids_of(joined(sources, several), Side::source),
                           joined_target = ids_of(joined(targets, several), Side::target);
    std::size_t next_joined = 0;  // of several
    for (const Group& group : groups) {
      if (group.size() > 1) {
        const Ids &s = joined_source[next_joined], &t = joined_target[next_joined++];
        // Lines may be a little shorter alone, in a vocabulary of others.
        if (std::max(std::ssize(s), std::ssize(t)) <= options_.longest()) {
          add(s, t);
          continue;
        }
      }
      for (const std::size_t i : group) add(source_ids[i], target_ids[i]);
    }
    if (progress)
      progress({lines_, tokens_, source_bytes_ + target_bytes_},
               source_.share ? source_.share() : 0);
  }
  FilterReport report = filter.report();
  report.pairs = pairs;
  if (odd_ != nullptr) report.odd = odd_->take_left_out();
  return report;
}

FilterReport PairEncoder::encode_all(const Take& take, const TokenizeProgress& progress) {
  FilterReport report = encode(take, kAll, progress);
  KETTE_CHECK(report.kept > 0, source_.name, " and ", target_.name,
              ": expected sentence pairs that pass the filters, given none\n", report.text());
  return report;
}

std::string made_of(const ParallelText& text, const Tokenizer& tokenizer,
                    const FilterOptions& options) {
  const auto of_side = [](const TextColumn& side) {
    const std::string column = side.column > 0 ? ", column " + std::to_string(side.column) : "";
    return file_fingerprint(side.file) + column + "; ";
  };
  const std::string language = text.language.empty() ? "" : "language " + text.language + "; ";
  return made_of(of_side(text.source) + of_side(text.target) + language, tokenizer, options);
}

std::string made_of(const std::string& text, const Tokenizer& tokenizer,
                    const FilterOptions& options) {
  std::ostringstream words;
  words << text << tokenizer.fingerprint() << "; max_length " << options.max_length << ", must_fit "
        << options.must_fit << ", max_ratio " << options.max_ratio << ", join_lines "
        << options.join_lines;
  if (!options.odd.oddities.empty()) words << "; " << options.odd.made_of();
  return words.str();
}

}  // namespace kette
