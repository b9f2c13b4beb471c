#include "data/checks/pair_oddities.h"

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <string_view>

#include "data/files/packed_file.h"
#include "data/files/utf8.h"

namespace kette {
namespace {

/// One of a line's broken characters, by its code, since it may be invisible.
std::string shown(std::string_view found) {
  const bool is_one_character = found.size() == utf8_length(found[0]);
  return is_one_character ? named_character(found) : std::string(found);
}

std::string name_or_unknown(LineLanguage language) {
  return language == LineLanguage::unknown ? "unknown" : enum_name(language);
}

bool is_other(LineLanguage language, LineLanguage expected) {
  return language != LineLanguage::unknown && expected != LineLanguage::unknown &&
         language != expected;
}

/// "en" of train.en, train.en_GB and train.en.gz; the end of any other name alike.
std::string language_ending(const std::filesystem::path& file) {
  const std::string ending = without_packed_ending(file).extension().string();
  return ending.empty() ? "" : ending.substr(1, ending.find('_') - 1);
}

/// what(line): the odd part of a side; empty if none.
template <class What>
std::optional<PairFinding> of_sides(const CheckedPair& pair, const What& what) {
  PairFinding found{what(pair.source), what(pair.target), {}};
  if (!found.is_of_side()) return {};
  return found;
}

std::string broken(const CheckedLine& line) {
  if (!line.fault.empty() || !line.facts.is_broken) return line.fault;
  return shown(broken_in(line.text));
}

std::optional<PairFinding> odd_ratio(const CheckedPair& pair) {
  const LineFacts &source = pair.source.facts, &target = pair.target.facts;
  const auto [shorter, longer] = std::minmax(source.weight, target.weight);
  if (longer <= kOddRatio * shorter || longer - shorter <= kOddDifference) return {};
  return PairFinding{{},
                     {},
                     std::to_string(source.characters) + " and " +
                         std::to_string(target.characters) + " characters"};
}

}  // namespace

PairSample CheckedPair::sample(const std::string& note) const {
  return {line, shortened(source.text), shortened(target.text), note};
}

CheckedCharacters::CheckedCharacters(const SharedTokenizer& tokenizer)
    : changed_source(tokenizer ? tokenizer : usual_normalisation(), Side::source),
      changed_target(tokenizer ? tokenizer : usual_normalisation(), Side::target) {
  if (!tokenizer) return;
  unknown_source.emplace(tokenizer, Side::source);
  unknown_target.emplace(tokenizer, Side::target);
}

std::optional<LanguagePair> languages_of(const CheckedPair& pair) {
  if (pair.has_empty_side() || pair.source.facts.exact == pair.target.facts.exact) return {};
  return LanguagePair{pair.source.facts.language, pair.target.facts.language};
}

void LanguageCounts::add(const LanguagePair& languages, std::int64_t pairs) {
  sources_[static_cast<std::size_t>(languages.source)] += pairs;
  targets_[static_cast<std::size_t>(languages.target)] += pairs;
}

void LanguageCounts::add(const LanguageCounts& more) {
  for (std::size_t i = 0; i < kLineLanguages; ++i) {
    sources_[i] += more.sources_[i];
    targets_[i] += more.targets_[i];
  }
}

std::int64_t LanguageCounts::pairs() const {
  return std::accumulate(sources_.begin(), sources_.end(), std::int64_t{0});
}

LanguagePair LanguageCounts::most() const {
  const double least = kLeastShare * static_cast<double>(pairs());
  const auto most = [&](const auto& counts) {
    const auto known = counts.begin() + 1;
    const auto found = std::max_element(known, counts.end());
    const bool is_enough = *found > 0 && static_cast<double>(*found) >= least;
    return is_enough ? static_cast<LineLanguage>(found - counts.begin()) : LineLanguage::unknown;
  };
  return {most(sources_), most(targets_)};
}

LineLanguage language_of_name(const std::filesystem::path& file) {
  const std::string ending = language_ending(file);
  for (const auto& [language, name] : kNamesOf<LineLanguage>) {
    if (!ending.empty() && ending == name) return language;
  }
  return LineLanguage::unknown;
}

bool names_another_language(const std::filesystem::path& file) {
  // ISO 639-1.
  static constexpr std::string_view kCodes =
      " aa ab ae af ak am an ar as av ay az ba be bg bi bm bn bo br bs ca ce ch co cr cs cu cv cy da "
      "dv dz ee el eo es et eu fa ff fi fj fo fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id "
      "ie ig ii ik io is it iu ja jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo "
      "lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn no nr nv ny oc oj om or os pa pi "
      "pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su sv sw ta te tg th "
      "ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu ";
  const std::string ending = language_ending(file);
  return ending.size() == 2 && kCodes.find(" " + ending + " ") != std::string_view::npos;
}

LanguagePair languages_of_names(const ParallelText& text) {
  return {language_of_name(text.source.file), language_of_name(text.target.file)};
}

LanguagePair languages_of_lines(const LanguageCounts& counts, const ParallelText& text) {
  LanguagePair most = counts.most();
  if (names_another_language(text.source.file)) most.source = LineLanguage::unknown;
  if (names_another_language(text.target.file)) most.target = LineLanguage::unknown;
  return most;
}

std::optional<Oddity> find_language_oddity(const LanguagePair& pair, const LanguagePair& expected) {
  const bool translates_nothing = expected.source == expected.target &&
                                  pair.source != LineLanguage::unknown && pair == expected;
  const bool source_is_other = is_other(pair.source, expected.source),
             target_is_other = is_other(pair.target, expected.target);
  if (source_is_other && target_is_other && pair.source == expected.target &&
      pair.target == expected.source) {
    return Oddity::swapped;
  }
  if (translates_nothing || source_is_other || target_is_other) return Oddity::other_language;
  return {};
}

std::string language_note(const LanguagePair& pair) {
  return "in " + name_or_unknown(pair.source) + " and " + name_or_unknown(pair.target);
}

std::string PairFinding::note() const {
  if (!is_of_side()) return pair;
  if (source.empty()) return "target: " + target;
  return "source: " + source + (target.empty() ? "" : "; target: " + target);
}

std::optional<PairFinding> find_oddity(Oddity oddity, const CheckedPair& pair,
                                       CheckedCharacters& characters) {
  const auto of_facts = [&](bool LineFacts::*has, const auto& what) {
    return of_sides(pair, [&](const CheckedLine& line) {
      return line.facts.*has ? std::string(what(line.text)) : std::string();
    });
  };
  const bool is_faulty = !pair.source.fault.empty() || !pair.target.fault.empty();
  const bool is_equal = pair.source.facts.exact == pair.target.facts.exact;
  switch (oddity) {
    case Oddity::empty:
      if (is_faulty) return {};
      return of_sides(pair, [](const CheckedLine& line) {
        return std::string(line.facts.characters == 0 ? "empty" : "");
      });
    case Oddity::equal:
      if (pair.has_empty_side() || !is_equal) return {};
      return PairFinding();
    case Oddity::ratio:
      if (pair.has_empty_side()) return {};
      return odd_ratio(pair);
    case Oddity::unwritable:
      if (!characters.unknown_source) return {};
      return of_sides(pair, [&](const CheckedLine& line) {
        auto& unknown =
            &line == &pair.source ? characters.unknown_source : characters.unknown_target;
        return listed_characters(unknown->in(line.text));
      });
    case Oddity::changed:
      return of_sides(pair, [&](const CheckedLine& line) {
        auto& changed =
            &line == &pair.source ? characters.changed_source : characters.changed_target;
        return listed_characters(changed.in(line.text));
      });
    case Oddity::markup:
      return of_facts(&LineFacts::has_markup, markup_in);
    case Oddity::encoding:
      return of_sides(pair, broken);
    case Oddity::tokenised:
      return of_facts(&LineFacts::is_tokenised, tokenised_in);
    case Oddity::lower_cased:
      return of_facts(&LineFacts::is_lower_cased, [](const std::string&) { return "no capital"; });
    case Oddity::few_letters:
      return of_facts(&LineFacts::has_few_letters,
                      [](const std::string&) { return "few letters"; });
    default:
      return {};
  }
}

}  // namespace kette
