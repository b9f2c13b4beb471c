#include "data/checks/corpus_check.h"

#include <algorithm>

#include "data/checks/text_check.h"
#include "data/files/packed_file.h"

namespace kette {
namespace {

/// Lines that are held out, by what they are known again by; each with the place of training where it first is, or kNowhere.
class HeldOut {
 public:
  static constexpr std::int64_t kNowhere = -1;

  void add(const CheckedPair& pair) {
    for (std::size_t i = 0; i < tables_.size(); ++i) tables_[i].put(keys_of(pair)[i], kNowhere);
  }
  void find_in_training(const CheckedPair& pair, std::int64_t place) {
    for (std::size_t i = 0; i < tables_.size(); ++i) {
      std::int64_t* found = tables_[i].find(keys_of(pair)[i]);
      if (found != nullptr && *found == kNowhere) *found = place;
    }
  }
  enum Key : std::size_t { of_pair, of_normalised_pair, of_source, of_target };
  std::int64_t place(Key key, const CheckedPair& of) {
    return *tables_[key].find(keys_of(of)[key]);
  }

 private:
  static std::array<std::uint64_t, 4> keys_of(const CheckedPair& pair) {
    return {pair.exact(), pair.normalised(), pair.source_facts.normalised,
            pair.target_facts.normalised};
  }

  std::array<LineTable, 4> tables_;
};

/// What the name of a file says: "en" of train.en and train.en.gz.
LineLanguage language_of_name(const std::filesystem::path& file) {
  const std::string ending = without_packed_ending(file).extension().string();
  for (const auto& [language, name] : kNamesOf<LineLanguage>) {
    if (!ending.empty() && ending.substr(1) == name) return language;
  }
  return LineLanguage::unknown;
}

class CorpusChecker {
 public:
  CorpusChecker(const CheckedTexts& texts, const CheckOptions& options,
                const CheckProgress& progress)
      : texts_(texts),
        options_(options),
        progress_(progress),
        characters_(options.tokenizer),
        passes_(texts.training.size() + 2 * (texts.validation.size() + texts.test.size())) {}

  CorpusReport check() {
    CorpusReport report;
    for (const auto* held_out : {&texts_.validation, &texts_.test}) {
      for (const ParallelText& text : *held_out) {
        for_pairs(text, [&](const CheckedPair& pair, const std::string&, const std::string&) {
          if (!pair.has_empty_side()) held_out_.add(pair);
        });
      }
    }
    check_all(TextRole::training, texts_.training, report);
    check_all(TextRole::validation, texts_.validation, report);
    check_all(TextRole::test, texts_.test, report);
    return report;
  }

 private:
  template <class Use>
  void for_pairs(const ParallelText& text, const Use& use) {
    PairReader reader(text);
    while (reader.next()) {
      const CheckedSide &source = reader.source(), &target = reader.target();
      const auto fault = [](const CheckedSide& side, std::size_t i) {
        const auto found = side.faults.find(i);
        return found == side.faults.end() ? std::string() : found->second;
      };
      for (std::size_t i = 0; i < reader.size(); ++i) {
        use(CheckedPair{reader.first_line() + static_cast<std::int64_t>(i), source.lines[i],
                        target.lines[i], source.facts[i], target.facts[i]},
            fault(source, i), fault(target, i));
      }
      if (progress_) {
        progress_((static_cast<double>(passed_) + reader.share()) / static_cast<double>(passes_));
      }
    }
    ++passed_;
  }

  void check_all(TextRole role, const std::vector<ParallelText>& texts, CorpusReport& report) {
    places_.clear();
    std::int64_t lines = 0;
    LineTable seen;
    for (const ParallelText& text : texts) {
      places_.push_back({lines, text.source.file.string()});
      if (role == TextRole::training) training_places_ = places_;
      TextCheck check(characters_, options_.samples);
      const std::int64_t before = lines;
      for_pairs(text, [&](const CheckedPair& pair, const std::string& source_fault,
                          const std::string& target_fault) {
        check.add(pair, source_fault, target_fault);
        const std::int64_t place = ++lines;
        if (pair.has_empty_side()) return;
        const std::int64_t first = seen.put(pair.exact(), place);
        if (first != place) {
          check.note(Oddity::duplicate, pair,
                     "as " + (first > before ? "line " + std::to_string(first - before)
                                             : name_in(places_, first)));
        }
        if (role == TextRole::training) {
          held_out_.find_in_training(pair, place);
        } else {
          note_overlap(pair, check);
        }
      });
      report.texts.push_back(report_of(role, text, check));
    }
  }

  void note_overlap(const CheckedPair& pair, TextCheck& check) {
    const auto note = [&](Oddity oddity, std::int64_t place, const std::string& what) {
      if (place == HeldOut::kNowhere) return false;
      check.note(oddity, pair, what + name_in(training_places_, place));
      return true;
    };
    note(Oddity::overlap, held_out_.place(HeldOut::of_pair, pair), "as ");
    note(Oddity::overlap_normalised, held_out_.place(HeldOut::of_normalised_pair, pair), "as ");
    if (!note(Oddity::overlap_side, held_out_.place(HeldOut::of_source, pair), "source as ")) {
      note(Oddity::overlap_side, held_out_.place(HeldOut::of_target, pair), "target as ");
    }
  }

  TextReport report_of(TextRole role, const ParallelText& text, const TextCheck& check) {
    const LanguagePair found = check.languages();
    LanguagePair expected = expected_of_training_;
    const auto expect = [](LineLanguage& language, LineLanguage otherwise) {
      if (language == LineLanguage::unknown) language = otherwise;
    };
    if (role == TextRole::training) expected = {};
    expect(expected.source, language_of_name(text.source.file));
    expect(expected.target, language_of_name(text.target.file));
    expect(expected.source, found.source);
    expect(expected.target, found.target);
    if (role == TextRole::training) learn_expected(expected);
    std::vector<OddPairs> findings = check.findings(expected);
    std::erase_if(findings, [&](const OddPairs& finding) {
      const bool is_overlap = finding.oddity >= Oddity::overlap;
      return (is_overlap && role == TextRole::training) ||
             (finding.oddity == Oddity::unwritable && !options_.tokenizer);
    });
    return {role, text, check.pairs(), enum_name(found.source), enum_name(found.target), findings};
  }

  /// What all texts of training are in, as far as they agree.
  void learn_expected(const LanguagePair& languages) {
    if (!has_expected_) {
      expected_of_training_ = languages;
    } else {
      LanguagePair& all = expected_of_training_;
      if (all.source != languages.source) all.source = LineLanguage::unknown;
      if (all.target != languages.target) all.target = LineLanguage::unknown;
    }
    has_expected_ = true;
  }

  struct Place {
    std::int64_t lines_before;
    std::string file;
  };
  /// "train.en:12"
  static std::string name_in(const std::vector<Place>& places, std::int64_t line) {
    auto place =
        std::upper_bound(places.begin(), places.end(), line - 1,
                         [](std::int64_t l, const Place& p) { return l < p.lines_before; });
    --place;
    return place->file + ":" + std::to_string(line - place->lines_before);
  }

  const CheckedTexts& texts_;
  const CheckOptions& options_;
  const CheckProgress& progress_;
  CheckedCharacters characters_;
  HeldOut held_out_;
  std::vector<Place> places_, training_places_;  // of the texts of one role; of training
  LanguagePair expected_of_training_;
  bool has_expected_ = false;
  std::size_t passes_, passed_ = 0;
};

}  // namespace

CorpusReport check_corpus(const CheckedTexts& texts, const CheckOptions& options,
                          const CheckProgress& progress) {
  return CorpusChecker(texts, options, progress).check();
}

}  // namespace kette
