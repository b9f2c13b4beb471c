// Checks a parallel corpus before training: which pairs are odd, and how much of the validation and
// test text is in it. It streams the text. Memory holds 24 to 48 bytes for each training pair, four
// times as much for each held-out pair, and the samples.
#pragma once

#include <functional>

#include "data/checks/corpus_report.h"
#include "data/tokenizers/tokenizer.h"

namespace kette {

/// Each text is two files, or two columns of one file; not trees.
struct CheckedTexts {
  std::vector<ParallelText> training, validation, test;
};

struct CheckOptions {
  /// Its vocabulary decides which characters are unwritable or changed. Null: only those that the
  /// usual normalisation changes.
  SharedTokenizer tokenizer{};
  std::size_t samples = 10;  ///< per finding
};

/// share: the part that is done, 0 to 1.
using CheckProgress = std::function<void(double share)>;

/// The expected language of a side: for training by the end of the file name (".en", ".de.gz"),
/// else that of most lines, if half of them are known to be in it; none for a side whose name is of
/// another language (".nl"); for the other texts that of training. Throws as LineReader does, except
/// that bytes that are not UTF-8 are a finding, and if the two files of a text differ in their
/// number of lines.
CorpusReport check_corpus(const CheckedTexts& texts, const CheckOptions& options = {},
                          const CheckProgress& progress = {});

}  // namespace kette
