#include "train/step_log.h"

#include <cerrno>
#include <cstring>

#include "data/files/atomic_file.h"
#include "data/files/json_text.h"

namespace kette {
namespace {

/// The lines of an earlier log up to `step`, but for that of a mean, with which a run ends: this one ends anew.
std::string kept_lines(const std::filesystem::path& log, std::int64_t step,
                       std::optional<std::int64_t> validated) {
  if (!std::filesystem::exists(log)) return {};
  std::ifstream file(log);
  KETTE_CHECK(file.is_open(), log.string(),
              ": expected a log that can be read, given one that cannot (", std::strerror(errno),
              ")");
  std::string kept, line;
  while (std::getline(file, line)) {
    const Json json = Json::parse(line, nullptr, false);
    const bool has_step =
        json.is_object() && json.contains("step") && json["step"].is_number_integer();
    if (!has_step || json.contains("average")) continue;
    const std::int64_t last = json.contains("valid_loss") ? validated.value_or(step) : step;
    if (json["step"].get<std::int64_t>() <= last) kept += line + "\n";
  }
  KETTE_CHECK(!file.bad(), log.string(), ": expected a log that can be read, given an error (",
              std::strerror(errno), ")");
  return kept;
}

}  // namespace

StepLog::StepLog(const std::filesystem::path& file, std::int64_t step,
                 std::optional<std::int64_t> validated)
    : name_(file.string()) {
  write_file_atomically(file, step > 0 ? kept_lines(file, step, validated) : "");
  file_.open(file, std::ios::app);
  KETTE_CHECK(file_.good(), name_, ": expected a log that can be written, given one that cannot (",
              std::strerror(errno), ")");
}

void StepLog::write(const std::string& json) {
  file_ << json << '\n' << std::flush;
  KETTE_CHECK(file_.good(), name_, ": expected room for all of the log, given none (",
              std::strerror(errno), "; free some space, then go on with --resume)");
}

}  // namespace kette
