// The metadata of a file of parameters.
#pragma once

#include <map>
#include <string>

namespace kette {

using Metadata = std::map<std::string, std::string>;

}  // namespace kette
