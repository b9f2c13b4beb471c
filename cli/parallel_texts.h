// Parallel files that come as lists of options: --src and --tgt, each with a language if any has one.
#pragma once

#include <string>
#include <vector>

#include "data/files/parallel_text.h"

namespace kette::cli {

/// Throws a UsageError unless as many values of an option were given as there are things to have one `each`.
void check_one_for_each(const std::string& option, std::size_t given, const std::string& each,
                        std::size_t expected);

/// Source i with target i, and with language i if languages were given; a UsageError where one has none. prefix: of the
/// options, "--valid-" for --valid-src and --valid-tgt.
std::vector<ParallelText> parallel_texts(const std::vector<std::string>& sources,
                                         const std::vector<std::string>& targets,
                                         const std::vector<std::string>& languages = {},
                                         const std::string& prefix = "--");

}  // namespace kette::cli
