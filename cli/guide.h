// What a newcomer to a command sees first: lines to try, and the options that one needs.
#pragma once

#include <string>
#include <vector>

namespace kette::cli {

/// Lines for a shell that do something real; tests/cli/test_examples.cpp runs each. words: {"bench", "train"}.
std::vector<std::string> examples_of(const std::vector<std::string>& words);

/// What its exit codes say, for its man page.
std::string exit_status_of(const std::vector<std::string>& words);

/// The options that --help shows, with spaces between them; "" for all of a command that has few. The others are for
/// --help-all.
std::string basic_options_of(const std::vector<std::string>& words);

}  // namespace kette::cli
