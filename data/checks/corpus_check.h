// A parallel corpus that is looked at before a model learns from it: what is odd about its pairs, and how much of the
// validation and test text it has. Text passes by in parts: what stays in memory is 24 to 48 bytes for each pair of
// training, four times as much for each that is held out, and the samples.
#pragma once

#include <functional>

#include "data/checks/corpus_report.h"
#include "data/tokenizers/tokenizer.h"

namespace kette {

/// Each text is two files, or two columns of one; those of trees are none.
struct CheckedTexts {
  std::vector<ParallelText> training, validation, test;
};

struct CheckOptions {
  /// Whose characters are asked for. Null: what a vocabulary that is learnt as usual will change, and not what it
  /// does not know.
  SharedTokenizer tokenizer{};
  std::size_t samples = 10;  ///< of each finding
};

/// How much is done, from 0 to 1.
using CheckProgress = std::function<void(double share)>;

/// Which language a side is to be in: for training what its file's name ends in (".en", ".de.gz"), else what most of its
/// lines are in; for the others what training is in. Throws as LineReader does, but for bytes that are not UTF-8, which
/// are a finding; and where the two files of a text have not equally many lines.
CorpusReport check_corpus(const CheckedTexts& texts, const CheckOptions& options = {},
                          const CheckProgress& progress = {});

}  // namespace kette
