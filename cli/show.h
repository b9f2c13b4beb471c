// Shows the report of a command: as text on stdout, as JSON, and as a page.
#pragma once

#include "cli/common.h"
#include "inspect/report/report.h"

namespace kette::cli {

/// Adds --out, the file of the page.
Option add_page_option(OptionGroup& group, CommonOptions& options);

/// Prints the text of the parts from `from` on. Returns the number of parts, for the next call.
std::size_t print_text(const Report& report, std::size_t from = 0);
/// Prints key and value of each fact, one per line.
void print_lines(const Report& report);
/// Prints the text from part `printed` on, writes the page (--out), and prints the JSON (--json).
void show(const Report& report, const CommonOptions& options, std::size_t printed = 0);

}  // namespace kette::cli
