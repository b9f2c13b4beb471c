#include "data/checks/text_check.h"

namespace kette {
namespace {

LanguagePair languages_at(std::size_t place) {
  return {static_cast<LineLanguage>(place / kLineLanguages),
          static_cast<LineLanguage>(place % kLineLanguages)};
}

}  // namespace

TextCheck::TextCheck(CheckedCharacters& characters, std::size_t samples)
    : characters_(characters),
      tallies_(kOddities, Tally{PairSamples(samples)}),
      by_languages_(kLineLanguages * kLineLanguages, PairSamples(samples)) {}

void TextCheck::note(Oddity oddity, const CheckedPair& pair, const std::string& note) {
  of(oddity).pairs.add(pair.line, [&] { return pair.sample(note); });
}

void TextCheck::add(const CheckedPair& pair) {
  ++pairs_;
  for (const OddityInfo& info : oddities()) {
    const auto found = find_oddity(info.oddity, pair, characters_);
    if (!found) continue;
    Tally& tally = of(info.oddity);
    tally.sources += found->source.empty() ? 0 : 1;
    tally.targets += found->target.empty() ? 0 : 1;
    note(info.oddity, pair, found->note());
  }
  const std::optional<LanguagePair> languages = languages_of(pair);
  if (!languages) return;
  by_languages_[static_cast<std::size_t>(languages->source) * kLineLanguages +
                static_cast<std::size_t>(languages->target)]
      .add(pair.line, [&] { return pair.sample(language_note(*languages)); });
}

LanguageCounts TextCheck::languages() const {
  LanguageCounts counts;
  for (std::size_t i = 0; i < by_languages_.size(); ++i) {
    counts.add(languages_at(i), by_languages_[i].count());
  }
  return counts;
}

OddPairs TextCheck::finding(Oddity oddity, const Tally& tally) const {
  return {oddity, tally.pairs.count(), tally.sources, tally.targets, tally.pairs.samples()};
}

std::vector<OddPairs> TextCheck::findings(const LanguagePair& expected) const {
  std::vector<Tally> tallies = tallies_;
  for (std::size_t i = 0; i < by_languages_.size(); ++i) {
    const auto oddity = find_language_oddity(languages_at(i), expected);
    if (oddity) tallies[static_cast<std::size_t>(*oddity)].pairs.join(by_languages_[i]);
  }
  std::vector<OddPairs> all;
  for (const OddityInfo& info : oddities()) {
    all.push_back(finding(info.oddity, tallies[static_cast<std::size_t>(info.oddity)]));
  }
  return all;
}

}  // namespace kette
