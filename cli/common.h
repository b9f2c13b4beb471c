// What the commands share: the options that every one of them has, and ways to print.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/options.h"
#include "data/files/text_source.h"
#include "inspect/report/text.h"
#include "tensor/device.h"
#include "tensor/dtype.h"

namespace kette::cli {

struct CommonOptions {
  std::int64_t threads = 0;  ///< 0: as many as the machine has
  bool json = false;
  std::filesystem::path out;  ///< where a page goes; empty: nowhere
};

/// Adds --threads, --json and --config (which arguments.h reads).
void add_common_options(CLI::App& command, CommonOptions& options);

/// Where a model computes, and in what.
struct ComputeOptions {
  Device device;
  bool is_numbered = false;  ///< whether it was said which one of its kind
  std::string precision = "f32";

  /// f32 in the place of bf16 on a CPU that gains nothing by it.
  DType dtype() const;
  /// What that makes of the precision that was asked for.
  std::string computed_in() const;
  /// Lets the device's products have that precision, and says so where another one is taken.
  void apply() const;
};
Option add_device_option(OptionGroup& group, Device& device);
/// What weights are rounded to for decoding. otherwise: what they are where it is not given.
void add_weights_option(OptionGroup& group, std::optional<DType>& weights,
                        const std::string& otherwise);
/// What keys and values of the past are kept in.
void add_cache_option(OptionGroup& group, DType& cache);
/// Adds --device and --precision.
void add_compute_options(OptionGroup& group, ComputeOptions& options);

/// Joins the other processes that there are, sets the number of threads and returns how many there are.
int use_threads(const CommonOptions& options);

/// Of text that a command reads whole: far more than a test set has, and little enough that what is
/// no text does not take all memory.
inline constexpr LineLimits kWholeText{.line_bytes = std::int64_t{1} << 18,
                                       .lines = std::int64_t{1} << 20,
                                       .bytes = std::int64_t{1} << 26};

/// The last line of stdout: one JSON object.
void print_json(const nlohmann::ordered_json& object);
/// An object as one line with its end.
std::string json_line(const nlohmann::ordered_json& object);

/// Text of a model or a file, for stdout: with its control characters made visible where that is a
/// terminal, and as it is where it is a file or a pipe.
std::string for_stdout(const std::string& text);

/// The last part of its path, with or without a slash at the end.
std::string name_of_folder(const std::filesystem::path& folder);

/// The most memory the process ever had, in MiB.
double peak_rss_mib();
/// What all threads together have had of the processors so far.
double processor_seconds();
/// Of at least one value.
double median(std::vector<double> values);

/// Throws UsageError if something else than an earlier `what` lies where one is to be written, which would be lost.
/// check: throws an Error unless it is one.
void check_replaces(const std::string& option, const std::filesystem::path& file,
                    const std::string& what, const std::function<void()>& check);

/// Ends the program with this exit code; the message has been printed.
struct Exit {
  int code;
};
[[noreturn]] void exit_with(int code);

}  // namespace kette::cli
