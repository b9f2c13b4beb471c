// What Model.translate and Model.score give.
#pragma once

#include <string>
#include <vector>

#include "decode/scorer.h"
#include "decode/text_translator.h"
#include "python/src/taps.h"

namespace kette::python {

using Alternative = Translation::Alternative;

/// kette.Sentence: a part of a text that was translated at once.
struct Sentence {
  std::string source;
  TranslatedSentence found;
  bool all_samples = false;

  const Hypothesis& best() const { return found.translation.n_best.front().hypothesis; }
  /// Samples all; of a search one for each text, the best.
  std::vector<Alternative> alternatives() const;
  /// Those of the report of kette translate; "unknown" of characters that were not carried over.
  std::vector<std::string> notes() const;
};

/// kette.Translation: of one text.
struct Translated {
  std::string source, text, fault;
  std::vector<Sentence> sentences;
  PythonTap::Captured captured;

  template <class Value>
  double sum(Value Hypothesis::*value) const {
    double sum = 0;
    for (const Sentence& sentence : sentences) sum += sentence.best().*value;
    return sum;
  }
};

/// kette.Score.
struct Score {
  SentenceScore score;
  std::vector<std::string> pieces;
};

void bind_results(nb::module_& m);

}  // namespace kette::python
