// The metadata of a file of parameters.
#pragma once

#include <map>
#include <string>

namespace kette {

using Metadata = std::map<std::string, std::string>;

/// "" if it is not there.
inline std::string value_in(const Metadata& metadata, const std::string& key) {
  const auto found = metadata.find(key);
  return found == metadata.end() ? std::string() : found->second;
}

}  // namespace kette
