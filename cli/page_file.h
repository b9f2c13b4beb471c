// The option for the file of a command's page, and writing it.
#pragma once

#include <filesystem>
#include <string>

#include "cli/options.h"

namespace kette::cli {

/// Adds the option. It refuses an existing file that is not a page, since a page must not overwrite a model or a log,
/// and a file whose folder does not exist. It checks this before any work is done.
Option add_page_option(OptionGroup& group, const std::string& name, std::filesystem::path& file,
                       const std::string& help);

/// Writes the page and says its size on stderr.
void write_page(const std::filesystem::path& file, const std::string& page);

}  // namespace kette::cli
