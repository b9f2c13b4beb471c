// Reports of oddities in a corpus, and of the text that was left out as odd.
#pragma once

#include "data/checks/corpus_report.h"
#include "data/corpora/prepared_tokens.h"
#include "inspect/report/report.h"

namespace kette {

/// A table of findings with samples. The page begins with a table of all texts.
Report to_report(const CorpusReport& corpus);

/// The pairs left out as odd, with samples. report: has the text's name and size.
Report left_out(const TextReport& report, const std::vector<OddPairs>& odd);
/// The same for a text in one language.
Report left_out(const std::vector<std::string>& files, const LeftOutDocuments& odd);

/// The list of checks, and the share from which each is a warning.
Report report_of_oddities();

}  // namespace kette
