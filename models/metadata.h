// What a file of parameters says of itself.
#pragma once

#include <map>
#include <string>

namespace kette {

using Metadata = std::map<std::string, std::string>;

}  // namespace kette
