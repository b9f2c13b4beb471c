// A file of JSON lines, each of them about a step: log.jsonl, and what else is noted of a run.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

namespace kette {

class StepLog {
 public:
  /// Goes on with the lines of steps up to `step`. Those of later steps, left by a run that was
  /// killed, and half a line are dropped; at step 0 all are.
  StepLog(const std::filesystem::path& file, std::int64_t step);

  /// json: an object with a "step", on one line. It is in the file when this returns.
  void write(const std::string& json);

 private:
  std::string name_;
  std::ofstream file_;
};

}  // namespace kette
