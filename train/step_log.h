// A file of JSON lines, each about a step, such as log.jsonl.
#pragma once

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

namespace kette {

class StepLog {
 public:
  /// Keeps the lines up to `step`, and those of validations up to `validated`, if that is given. Drops those of later
  /// steps and an incomplete line, as a killed run leaves them. At step 0 drops all lines.
  StepLog(const std::filesystem::path& file, std::int64_t step,
          std::optional<std::int64_t> validated = {});

  /// json: an object with a "step", on one line. Flushes the file.
  void write(const std::string& json);

 private:
  std::string name_;
  std::ofstream file_;
};

}  // namespace kette
