// The end of every command that found something: its report as text on stdout, as JSON, and as a page.
#pragma once

#include "cli/common.h"
#include "inspect/report/report.h"

namespace kette::cli {

/// Adds --out, where the page goes.
Option add_page_option(OptionGroup& group, CommonOptions& options);

/// Prints the text of the parts from `from` on, and gives where the next begins.
std::size_t print_text(const Report& report, std::size_t from = 0);
/// Key and value of each fact, a line each.
void print_lines(const Report& report);
/// Prints what of the text has not been printed, writes the page if one is wanted, and prints the JSON if it is.
void show(const Report& report, const CommonOptions& options, std::size_t printed = 0);

}  // namespace kette::cli
