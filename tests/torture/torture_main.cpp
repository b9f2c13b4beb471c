// kette-torture: kills the program, damages its files and lets its calls fail, at random. Prints one row for each kind of
// harm, "what TAB tried TAB outcome", and ends with 1 if anything failed. scripts/torture.sh is its
// front.
#include <charconv>
#include <iostream>
#include <map>

#include "tensor/error.h"
#include "tests/torture/torture.h"

namespace {

/// --kills N --flips N --calls N --seed S --folder DIR
std::map<std::string, std::string> parse(int count, char** words) {
  std::map<std::string, std::string> options;
  for (int i = 1; i + 1 < count; i += 2) options[words[i]] = words[i + 1];
  KETTE_CHECK(
      count % 2 == 1 && options.contains("--folder"),
      "kette-torture: expected --folder DIR [--kills N] [--flips N] [--calls N] [--seed S]");
  return options;
}

std::int64_t number(const std::map<std::string, std::string>& options, const std::string& name) {
  const auto found = options.find(name);
  if (found == options.end()) return 0;
  const std::string& digits = found->second;
  std::int64_t value = -1;
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  KETTE_CHECK(value >= 0, "kette-torture: expected a number for ", name, ", given ", digits);
  return value;
}

}  // namespace

int main(int count, char** words) {
  using namespace kette::torture;
  try {
    const auto options = parse(count, words);
    Torture torture(options.at("--folder"), static_cast<std::uint64_t>(number(options, "--seed")));
    prepare(torture);
    torture_by_kills(torture, number(options, "--kills"));
    torture_by_flips(torture, number(options, "--flips"));
    torture_by_failing_calls(torture, number(options, "--calls"));
    return torture.has_failed() ? 1 : 0;
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
