// What was built.
#pragma once

#include <string>

namespace kette::cli {

/// The commit of the sources, such as "96686d3", or "96686d3+changes" when they differ from it; ""
/// if they came without git. Defined in a file of its own, which each build writes if it has
/// changed.
const char* built_commit();

/// "0.1.0 (96686d3)", or "0.1.0".
std::string full_version();

}  // namespace kette::cli
