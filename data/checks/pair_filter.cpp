#include "data/checks/pair_filter.h"

#include <algorithm>
#include <utility>

#include "data/files/block_checksums.h"
#include "data/files/file_fingerprint.h"
#include "data/files/utf8.h"
#include "tensor/error.h"
#include "tensor/parallel_for.h"

namespace kette {
namespace {

bool is_overlap(Oddity oddity) { return oddity >= Oddity::overlap; }

/// The most frequent languages of the first lines.
LanguagePair languages_of_first_lines(const ParallelText& text) {
  LanguageCounts counts;
  PairReader reader(text);
  for (std::int64_t lines = 0; lines < kLinesThatTell;) {
    const CheckedPairs pairs = reader.next();
    if (pairs.size() == 0) break;
    lines += std::ssize(pairs.source.lines);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      if (const auto languages = languages_of(pairs[i])) counts.add(*languages);
    }
  }
  return languages_of_lines(counts, text);
}

}  // namespace

bool PairFilterOptions::wants(Oddity oddity) const {
  return std::find(oddities.begin(), oddities.end(), oddity) != oddities.end();
}

void PairFilterOptions::check() const {
  const bool has_overlap = std::any_of(oddities.begin(), oddities.end(), is_overlap);
  KETTE_CHECK(
      !has_overlap || !held_out.empty(),
      "filter: expected texts that are held out beside an overlap, given none (--test-src and --test-tgt)");
  KETTE_CHECK(
      has_overlap || held_out.empty(),
      "filter: expected an overlap beside texts that are held out, given none (--filter overlap-normalised)");
}

std::string PairFilterOptions::made_of() const {
  std::string text;
  for (const Oddity oddity : oddities) {
    text += (text.empty() ? "without " : ", ") + std::string(enum_name(oddity));
  }
  if (held_out.empty()) return text;
  std::string files;
  for (const ParallelText& one : held_out) {
    files += file_fingerprint(one.source.file) + "; " + file_fingerprint(one.target.file) + "; ";
  }
  return text + "; held out: files of checksum " + hexadecimal(checksum_of(files));
}

PairFilter::PairFilter(const PairFilterOptions& options, const SharedTokenizer& tokenizer)
    : options_(options), characters_(tokenizer) {
  options.check();
  for (const Oddity oddity : options.oddities) left_out_.push_back(none_of(oddity));
  for (const ParallelText& text : options.held_out) {
    check_pairing(text);
    PairReader reader(text);
    for (CheckedPairs pairs = reader.next(); pairs.size() > 0; pairs = reader.next()) {
      for (std::size_t i = 0; i < pairs.size(); ++i) held_out_.add(pairs[i]);
    }
  }
}

void PairFilter::begin(const ParallelText& text) {
  seen_.begin(text.source.file.string());
  if (!options_.wants(Oddity::swapped) && !options_.wants(Oddity::other_language)) return;
  languages_ = languages_of_names(text);
  if (languages_.source == LineLanguage::unknown || languages_.target == LineLanguage::unknown) {
    languages_ = languages_.or_else(languages_of_first_lines(text));
  }
  KETTE_CHECK(
      languages_.source != LineLanguage::unknown || languages_.target != LineLanguage::unknown,
      text.source.name(), " and ", text.target.name(),
      ": expected a side in English, German or French beside a filter by language, given none");
}

std::optional<PairFinding> PairFilter::find(Oddity oddity, const CheckedPair& pair,
                                            const std::optional<std::string>& earlier) {
  const auto if_held_out = [&](HeldOut::Key key, const char* what) -> std::optional<PairFinding> {
    if (!held_out_.has(key, pair)) return {};
    return PairFinding{{}, {}, what};
  };
  switch (oddity) {
    case Oddity::duplicate:
      if (!earlier) return {};
      return PairFinding{{}, {}, *earlier};
    case Oddity::swapped:
    case Oddity::other_language: {
      const std::optional<LanguagePair> languages = languages_of(pair);
      if (!languages || find_language_oddity(*languages, languages_) != oddity) return {};
      return PairFinding{{}, {}, language_note(*languages)};
    }
    case Oddity::overlap:
      return if_held_out(HeldOut::of_pair, "");
    case Oddity::overlap_normalised:
      return if_held_out(HeldOut::of_normalised_pair, "");
    case Oddity::overlap_side: {
      const auto found = if_held_out(HeldOut::of_source, "source");
      return found ? found : if_held_out(HeldOut::of_target, "target");
    }
    default:
      return find_oddity(oddity, pair, characters_);
  }
}

std::vector<bool> PairFilter::keeps(const CheckedPairs& pairs) {
  const bool wants_duplicates = options_.wants(Oddity::duplicate);
  std::vector<bool> kept(pairs.size(), true);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const CheckedPair pair = pairs[i];
    const bool may_repeat = wants_duplicates && !pair.has_empty_side();
    const std::optional<std::string> earlier = seen_.add(may_repeat ? pair.exact() : 0);
    for (LeftOut& one : left_out_) {
      const auto found = find(one.pairs.oddity, pair, earlier);
      if (!found) continue;
      kept[i] = false;
      one.pairs.sources += found->source.empty() ? 0 : 1;
      one.pairs.targets += found->target.empty() ? 0 : 1;
      one.samples.add(pair.line, [&] { return pair.sample(found->note()); });
      break;
    }
  }
  return kept;
}

void PairFilter::skip(const std::vector<std::string>& sources,
                      const std::vector<std::string>& targets) {
  if (!options_.wants(Oddity::duplicate)) return;
  const auto hash = [&](const std::string& line) {
    return takes_faulty_lines() ? exact_hash(as_line(line)) : exact_hash(line);
  };
  std::vector<std::uint64_t> pairs(sources.size());
  parallel_for(std::ssize(sources), 256, [&](std::int64_t i) {
    const std::uint64_t source = hash(sources[i]), target = hash(targets[i]);
    pairs[i] = source == 0 || target == 0 ? 0 : hash_of(source, target);
  });
  for (const std::uint64_t pair : pairs) seen_.add(pair);
}

std::vector<OddPairs> PairFilter::take_left_out() {
  std::vector<OddPairs> all;
  for (LeftOut& one : left_out_) {
    one.pairs.pairs = one.samples.count();
    one.pairs.samples = one.samples.samples();
    all.push_back(std::exchange(one, none_of(one.pairs.oddity)).pairs);
  }
  return all;
}

}  // namespace kette
