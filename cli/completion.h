// Completion of the command line in shells: commands, options, choices, files and folders.
#pragma once

#include <string>
#include <vector>

namespace kette::cli {

/// Scripts that the shells read.
std::string bash_completion();
std::string zsh_completion();
std::string fish_completion();

}  // namespace kette::cli
