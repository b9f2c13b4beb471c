#include "data/checks/text_check.h"

#include <algorithm>

#include "data/files/unicode.h"
#include "data/files/utf8.h"

namespace kette {
namespace {

/// The start of a long line.
std::string shortened(const std::string& line) {
  constexpr std::size_t kMost = 300;  // bytes
  if (line.size() <= kMost) return line;
  std::size_t end = kMost;
  while (continues_utf8(line[end])) --end;
  return line.substr(0, end) + "\xE2\x80\xA6";
}

/// Of the broken characters that were found in a line, one by its number: it may show nothing.
std::string shown(std::string_view found) {
  const bool is_one_character = found.size() == utf8_length(found[0]);
  return is_one_character ? named_character(found) : std::string(found);
}

std::string name_or_unknown(LineLanguage language) {
  return language == LineLanguage::unknown ? "unknown" : enum_name(language);
}

std::string name_of(const LanguagePair& languages) {
  return name_or_unknown(languages.source) + " and " + name_or_unknown(languages.target);
}

LanguagePair languages_at(std::size_t place) {
  return {static_cast<LineLanguage>(place / kLineLanguages),
          static_cast<LineLanguage>(place % kLineLanguages)};
}

bool is_other(LineLanguage language, LineLanguage expected) {
  return language != LineLanguage::unknown && expected != LineLanguage::unknown &&
         language != expected;
}

bool is_swapped(const LanguagePair& pair, const LanguagePair& expected) {
  return is_other(pair.source, expected.source) && is_other(pair.target, expected.target) &&
         pair.source == expected.target && pair.target == expected.source;
}

/// A side that is in another language, or in the same one as the other.
bool is_foreign(const LanguagePair& pair, const LanguagePair& expected) {
  const bool translates_nothing = expected.source == expected.target &&
                                  pair.source != LineLanguage::unknown && pair == expected;
  return translates_nothing || is_other(pair.source, expected.source) ||
         is_other(pair.target, expected.target);
}

}  // namespace

PairSample CheckedPair::sample(const std::string& note) const {
  return {line, shortened(source), shortened(target), note};
}

CheckedCharacters::CheckedCharacters(const SharedTokenizer& tokenizer)
    : changed_source(tokenizer ? tokenizer : usual_normalisation(), Side::source),
      changed_target(tokenizer ? tokenizer : usual_normalisation(), Side::target) {
  if (!tokenizer) return;
  unknown_source.emplace(tokenizer, Side::source);
  unknown_target.emplace(tokenizer, Side::target);
}

TextCheck::TextCheck(CheckedCharacters& characters, std::size_t samples)
    : characters_(characters),
      tallies_(kOddities, Tally{PairSamples(samples)}),
      by_languages_(kLineLanguages * kLineLanguages, PairSamples(samples)) {}

void TextCheck::note(Oddity oddity, const CheckedPair& pair, const std::string& note) {
  of(oddity).pairs.add(pair.line, [&] { return pair.sample(note); });
}

template <class Found>
void TextCheck::look_at_sides(Oddity oddity, const CheckedPair& pair, const Found& found) {
  const std::string source = found(true), target = found(false);
  if (source.empty() && target.empty()) return;
  of(oddity).sources += source.empty() ? 0 : 1;
  of(oddity).targets += target.empty() ? 0 : 1;
  note(oddity, pair,
       source.empty()   ? "target: " + target
       : target.empty() ? "source: " + source
                        : "source: " + source + "; target: " + target);
}

void TextCheck::look_at_characters(const CheckedPair& pair) {
  const auto side = [&](bool is_source) -> const std::string& {
    return is_source ? pair.source : pair.target;
  };
  look_at_sides(Oddity::changed, pair, [&](bool is_source) {
    auto& changed = is_source ? characters_.changed_source : characters_.changed_target;
    return listed_characters(changed.in(side(is_source)));
  });
  if (!characters_.unknown_source) return;
  look_at_sides(Oddity::unwritable, pair, [&](bool is_source) {
    auto& unknown = is_source ? characters_.unknown_source : characters_.unknown_target;
    return listed_characters(unknown->in(side(is_source)));
  });
}

void TextCheck::add(const CheckedPair& pair, const std::string& source_fault,
                    const std::string& target_fault) {
  ++pairs_;
  const auto look_for = [&](Oddity oddity, bool LineFacts::*has, const auto& what) {
    look_at_sides(oddity, pair, [&](bool is_source) {
      const LineFacts& facts = is_source ? pair.source_facts : pair.target_facts;
      return facts.*has ? what(is_source ? pair.source : pair.target) : std::string();
    });
  };
  look_for(Oddity::markup, &LineFacts::has_markup,
           [](const std::string& line) { return std::string(markup_in(line)); });
  look_for(Oddity::tokenised, &LineFacts::is_tokenised,
           [](const std::string& line) { return std::string(tokenised_in(line)); });
  look_for(Oddity::lower_cased, &LineFacts::is_lower_cased,
           [](const std::string&) { return std::string("no capital"); });
  look_at_sides(Oddity::encoding, pair, [&](bool is_source) {
    const std::string& fault = is_source ? source_fault : target_fault;
    const LineFacts& facts = is_source ? pair.source_facts : pair.target_facts;
    if (!fault.empty() || !facts.is_broken) return fault;
    return shown(broken_in(is_source ? pair.source : pair.target));
  });
  look_at_characters(pair);
  if (pair.has_empty_side()) {
    if (source_fault.empty() && target_fault.empty()) {
      look_at_sides(Oddity::empty, pair, [&](bool is_source) {
        const LineFacts& facts = is_source ? pair.source_facts : pair.target_facts;
        return std::string(facts.characters == 0 ? "empty" : "");
      });
    }
    return;
  }
  if (pair.source_facts.exact == pair.target_facts.exact) return note(Oddity::equal, pair, "");
  const auto [shorter, longer] =
      std::minmax(pair.source_facts.characters, pair.target_facts.characters);
  if (longer > kOddRatio * shorter && longer - shorter > kOddDifference) {
    note(Oddity::ratio, pair,
         std::to_string(pair.source_facts.characters) + " and " +
             std::to_string(pair.target_facts.characters) + " characters");
  }
  const LanguagePair languages{pair.source_facts.language, pair.target_facts.language};
  by_languages_[static_cast<std::size_t>(languages.source) * kLineLanguages +
                static_cast<std::size_t>(languages.target)]
      .add(pair.line, [&] { return pair.sample("in " + name_of(languages)); });
}

LanguagePair TextCheck::languages() const {
  std::array<std::int64_t, kLineLanguages> sources{}, targets{};
  for (std::size_t i = 0; i < by_languages_.size(); ++i) {
    const LanguagePair languages = languages_at(i);
    sources[static_cast<std::size_t>(languages.source)] += by_languages_[i].count();
    targets[static_cast<std::size_t>(languages.target)] += by_languages_[i].count();
  }
  const auto most = [](const auto& counts) {
    const auto known = counts.begin() + 1;
    const auto found = std::max_element(known, counts.end());
    return *found == 0 ? LineLanguage::unknown : static_cast<LineLanguage>(found - counts.begin());
  };
  return {most(sources), most(targets)};
}

OddPairs TextCheck::finding(Oddity oddity, const Tally& tally) const {
  return {oddity, tally.pairs.count(), tally.sources, tally.targets, tally.pairs.samples()};
}

std::vector<OddPairs> TextCheck::findings(const LanguagePair& expected) const {
  std::vector<Tally> tallies = tallies_;
  for (std::size_t i = 0; i < by_languages_.size(); ++i) {
    const LanguagePair languages = languages_at(i);
    if (!is_foreign(languages, expected)) continue;
    const Oddity oddity =
        is_swapped(languages, expected) ? Oddity::swapped : Oddity::other_language;
    tallies[static_cast<std::size_t>(oddity)].pairs.join(by_languages_[i]);
  }
  std::vector<OddPairs> all;
  for (const OddityInfo& info : oddities()) {
    all.push_back(finding(info.oddity, tallies[static_cast<std::size_t>(info.oddity)]));
  }
  return all;
}

}  // namespace kette
