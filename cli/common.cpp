#include "cli/common.h"

#include <omp.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <iostream>

#include "data/files/json_text.h"
#include "data/files/visible_text.h"
#include "tensor/kernels.h"

namespace kette::cli {

void add_common_options(CLI::App& command, CommonOptions& options) {
  OptionGroup group(command, "Common");
  group.number("--threads", options.threads, at_least(1), "Threads (default: all the machine has)");
  group.flag("--json", options.json, "Print one JSON object as the last line of stdout");
  group.custom(
      "--config", [](const std::string&) {}, [] { return std::string(); },
      "Options from a TOML file, `name = value` a line; the command line overrides them", "FILE");
}

void add_device_option(OptionGroup& group, Device& device) {
  group.custom(
      "--device", [&device](const std::string& text) { device = parse_device(text); },
      [&device] { return device.str(); }, "Where to compute: cpu, cuda or cuda:N", "NAME");
}

void add_weights_option(OptionGroup& group, DType& weights) {
  group.one_of(
      "--weights", {name_of(DType::f32), name_of(DType::bf16)},
      [&weights](const std::string& name) {
        weights = name == name_of(DType::bf16) ? DType::bf16 : DType::f32;
      },
      [&weights] { return name_of(weights); },
      "What weights are rounded to: bf16 takes half the memory, and half the time where reading them is what takes it");
}

void add_compute_options(OptionGroup& group, ComputeOptions& options) {
  add_device_option(group, options.device);
  group.choice(
      "--precision", options.precision, {"f32", "tf32", "bf16"},
      "What the model computes in; with bf16 sums and Adam stay in f32, and tf32 lets products on a GPU round their factors to 11 bits");
}

void ComputeOptions::apply() const {
  const bool tf32 = precision == "tf32";
  KETTE_CHECK(!tf32 || device.kind == DeviceKind::cuda,
              "--precision tf32: expected --device cuda beside it, given ", device.str());
  on(device, [&]<class Exec>(Exec exec) {
    if constexpr (std::is_same_v<Exec, CudaExec>) kernels::allow_tf32(exec, tf32);
  });
}

int use_threads(const CommonOptions& options) {
  constexpr std::int64_t kMost = 1024;
  if (options.threads > kMost) {
    throw UsageError("--threads: expected at most " + std::to_string(kMost) + ", given " +
                     std::to_string(options.threads));
  }
  if (options.threads > 0) omp_set_num_threads(static_cast<int>(options.threads));
  return omp_get_max_threads();
}

void print_lines(const Json& json) {
  for (const auto& [key, value] : json.items()) {
    const std::string shown = value.is_number_float() ? text("%.4g", value.get<double>())
                              : value.is_string()     ? value.get<std::string>()
                                                      : value.dump();
    std::cout << text("%-34s %s\n", key.c_str(), shown.c_str());
  }
}

void print_json(const Json& object) {
  // A file's name need not be UTF-8, but JSON must be.
  std::cout << object.dump(-1, ' ', false, Json::error_handler_t::replace) << "\n";
}

std::string for_stdout(const std::string& text) {
  static const bool is_terminal = ::isatty(STDOUT_FILENO);
  return is_terminal ? visible(text) : text;
}

std::string text(const char* format, ...) {
  std::va_list arguments, again;
  va_start(arguments, format);
  va_copy(again, arguments);
  std::string result(static_cast<std::size_t>(std::vsnprintf(nullptr, 0, format, arguments)), '\0');
  std::vsnprintf(result.data(), result.size() + 1, format, again);
  va_end(again);
  va_end(arguments);
  return result;
}

std::string with_commas(std::int64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, ",");
  return digits;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

double peak_rss_mib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

void exit_with(int code) { throw Exit{code}; }

}  // namespace kette::cli
