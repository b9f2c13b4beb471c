// The version of the build.
#pragma once

#include <string>

namespace kette::cli {

/// The commit of the sources: "96686d3", or "96686d3+changes" if they differ from it; "" without git. Its
/// file is written by each build if it has changed.
const char* built_commit();

/// "0.1.0 (96686d3)", or "0.1.0".
std::string full_version();

}  // namespace kette::cli
