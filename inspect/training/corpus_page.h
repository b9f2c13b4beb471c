// A corpus that was looked at (data/checks/corpus_check.h) as a page.
#pragma once

#include <string>

#include "data/checks/corpus_report.h"

namespace kette {

std::string corpus_page(const CorpusReport& report);

}  // namespace kette
