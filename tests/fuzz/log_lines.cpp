// log.jsonl of a run that was killed: what is kept of it is whole lines, up to the step gone on from.
#include <nlohmann/json.hpp>

#include "tests/fuzz/targets.h"
#include "tests/support.h"
#include "train/step_log.h"

namespace kette::fuzz {
namespace {

constexpr std::int64_t kStep = 8;

std::vector<std::string> seeds() {
  return {"{\"step\":7,\"loss\":2.5}\n{\"step\":8,\"valid_loss\":3.0}\n{\"step\":9,\"lo",
          "\n{}\n[1]\n{\"step\":\"x\"}\n{\"step\":1e3}\n"};
}

void read(std::string_view input) {
  const auto log = put("log.jsonl", input);
  { const StepLog kept_lines(log, kStep); }
  std::istringstream kept(testing::read_file(log));
  for (std::string line; std::getline(kept, line);) {
    const auto json = nlohmann::json::parse(line, nullptr, false);
    expect(json.is_object() && json.value("step", 0.0) <= kStep, "lines of steps that are kept");
  }
}

}  // namespace

const Target log_lines = {"log-lines", seeds, read};

}  // namespace kette::fuzz
