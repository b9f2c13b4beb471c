// What is odd about a parallel corpus, and what was left out of one as odd: as tables with samples, JSON and pages.
#pragma once

#include "data/checks/corpus_report.h"
#include "data/corpora/prepared_tokens.h"
#include "inspect/report/report.h"

namespace kette {

/// A table of findings, with samples of each; a page begins with a table of all texts.
Report to_report(const CorpusReport& corpus);

/// What was left out of a text as odd, with samples. The text's name and size are in `report`.
Report left_out(const TextReport& report, const std::vector<OddPairs>& odd);
/// Likewise of a text in one language.
Report left_out(const std::vector<std::string>& files, const LeftOutDocuments& odd);

/// What is looked for, and how much of it is a warning.
Report report_of_oddities();

}  // namespace kette
