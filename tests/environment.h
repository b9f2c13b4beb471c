// Variables of the environment, which programs that a test starts have, too.
#pragma once

#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace kette::testing {

/// While one lives; afterwards they are what they were.
class Environment {
 public:
  explicit Environment(const std::map<std::string, std::string>& variables) {
    for (const auto& [name, value] : variables) {
      const char* found = std::getenv(name.c_str());
      before_[name] = found ? std::optional<std::string>(found) : std::nullopt;
      setenv(name.c_str(), value.c_str(), 1);
    }
  }
  Environment(const std::string& name, const std::string& value)
      : Environment(std::map<std::string, std::string>{{name, value}}) {}
  ~Environment() {
    for (const auto& [name, value] : before_) {
      value ? setenv(name.c_str(), value->c_str(), 1) : unsetenv(name.c_str());
    }
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  std::map<std::string, std::optional<std::string>> before_;
};

}  // namespace kette::testing
