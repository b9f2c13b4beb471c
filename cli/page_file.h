// Where a command's page goes: the option for it, and the file.
#pragma once

#include <filesystem>
#include <string>

#include "cli/options.h"

namespace kette::cli {

/// Refuses, before any work is done, a file that is there and is no page: a page in the place of a model's weights or a
/// run's log would lose them. Likewise one that could not be written after the work, for its folder is not there.
Option add_page_option(OptionGroup& group, const std::string& name, std::filesystem::path& file,
                       const std::string& help);

/// Says on stderr how large it is.
void write_page(const std::filesystem::path& file, const std::string& page);

}  // namespace kette::cli
