#include "data/checks/corpus_check.h"

#include <algorithm>

#include "data/checks/held_out.h"
#include "data/checks/pair_reader.h"
#include "data/checks/seen_pairs.h"
#include "data/checks/text_check.h"

namespace kette {
namespace {

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
        for_pairs(text, [&](const CheckedPair& pair) { held_out_.add(pair); });
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
    check_pairing(text);
    PairReader reader(text);
    for (CheckedPairs pairs = reader.next(); pairs.size() > 0; pairs = reader.next()) {
      for (std::size_t i = 0; i < pairs.size(); ++i) use(pairs[i]);
      if (progress_) {
        progress_((static_cast<double>(passed_) + reader.share()) / static_cast<double>(passes_));
      }
    }
    ++passed_;
  }

  void check_all(TextRole role, const std::vector<ParallelText>& texts, CorpusReport& report) {
    SeenPairs seen;
    for (const ParallelText& text : texts) {
      seen.begin(text.source.file.string());
      if (role == TextRole::training) training_places_ = seen.places();
      TextCheck check(characters_, options_.samples);
      for_pairs(text, [&](const CheckedPair& pair) {
        check.add(pair);
        if (pair.has_empty_side()) return seen.skip();
        const std::optional<std::string> earlier = seen.add(pair.exact());
        if (earlier) check.note(Oddity::duplicate, pair, *earlier);
        if (role == TextRole::training) {
          held_out_.find_in_training(pair, seen.lines());
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
      check.note(oddity, pair, what + training_places_.name_of(place));
      return true;
    };
    note(Oddity::overlap, held_out_.place(HeldOut::of_pair, pair), "as ");
    note(Oddity::overlap_normalised, held_out_.place(HeldOut::of_normalised_pair, pair), "as ");
    if (!note(Oddity::overlap_side, held_out_.place(HeldOut::of_source, pair), "source as ")) {
      note(Oddity::overlap_side, held_out_.place(HeldOut::of_target, pair), "target as ");
    }
  }

  TextReport report_of(TextRole role, const ParallelText& text, const TextCheck& check) {
    const LanguagePair found = languages_of_lines(check.languages(), text);
    LanguagePair expected = languages_of_names(text).or_else(found);
    if (role != TextRole::training) expected = expected_of_training_.or_else(expected);
    if (role == TextRole::training) learn_expected(expected);
    std::vector<OddPairs> findings = check.findings(expected);
    std::erase_if(findings, [&](const OddPairs& finding) {
      const bool is_overlap = finding.oddity >= Oddity::overlap;
      return (is_overlap && role == TextRole::training) ||
             (finding.oddity == Oddity::unwritable && !options_.tokenizer);
    });
    return {role, text, check.pairs(), enum_name(found.source), enum_name(found.target), findings};
  }

  /// Updates the languages of all training texts, as far as they agree.
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

  const CheckedTexts& texts_;
  const CheckOptions& options_;
  const CheckProgress& progress_;
  CheckedCharacters characters_;
  HeldOut held_out_;
  LinePlaces training_places_;
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
