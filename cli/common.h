// Shared by all commands: common options, and functions to print.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options.h"
#include "data/files/folder_entries.h"
#include "data/files/text_source.h"
#include "inspect/report/text.h"
#include "tensor/device.h"
#include "tensor/dtype.h"

namespace kette::cli {

struct CommonOptions {
  std::int64_t threads = 0;  ///< 0: all of the machine
  bool json = false;
  std::filesystem::path json_file;  ///< where the JSON goes; empty: stdout
  std::filesystem::path out;        ///< the file of the page; empty: no page
};

/// Adds --threads, --json and --config (which arguments.h reads).
void add_common_options(CLI::App& command, CommonOptions& options);

/// Device and precision of a model.
struct ComputeOptions {
  Device device;
  bool is_numbered = false;  ///< whether the number of the device was given
  std::string precision = "f32";

  /// f32 instead of bf16 on a CPU where bf16 is not faster.
  DType dtype() const;
  /// The precision that is used, for people.
  std::string computed_in() const;
  /// Sets the precision of the device's matrix products. Says so if it differs from the one asked for.
  void apply() const;
};
Option add_device_option(OptionGroup& group, Device& device);
/// Adds --weights, the dtype of weights for decoding. otherwise: the default, for help.
void add_weights_option(OptionGroup& group, std::optional<DType>& weights,
                        const std::string& otherwise);
/// Adds --cache, the dtype of the KV cache.
void add_cache_option(OptionGroup& group, DType& cache);
/// Adds --device and --precision.
void add_compute_options(OptionGroup& group, ComputeOptions& options);

/// Joins the other processes, sets the number of threads and returns it.
int use_threads(const CommonOptions& options);

/// Limits for text that a command reads whole. Far more than a test set has, but a file that is no text
/// cannot fill the memory.
inline constexpr LineLimits kWholeText{.line_bytes = std::int64_t{1} << 18,
                                       .lines = std::int64_t{1} << 20,
                                       .bytes = std::int64_t{1} << 26};

/// Prints a JSON object as the last line of stdout, or writes it to the file of --json.
void print_json(const CommonOptions& options, const nlohmann::ordered_json& object);
/// An object as one line with its line break.
std::string json_line(const nlohmann::ordered_json& object);

/// Text of a model or a file, for stdout. A terminal gets visible control characters; a file or a pipe
/// gets the text unchanged.
std::string for_stdout(const std::string& text);

/// "one, two": name_of_folder() of each.
std::string names_of(const std::vector<std::string>& paths);

/// The peak memory of the process so far, in MiB.
double peak_rss_mib();
/// The processor time of all threads so far.
double processor_seconds();
/// Needs at least one value.
double median(std::vector<double> values);

/// Throws a UsageError if the output file exists and is not an earlier `what`, since it would be lost. check: throws an
/// Error unless it is one.
void check_replaces(const std::string& option, const std::filesystem::path& file,
                    const std::string& what, const std::function<void()>& check);
/// The same, where the start of a file tells: one of `starts`.
void check_replaces(const std::string& option, const std::filesystem::path& file,
                    const std::string& what, std::initializer_list<std::string_view> starts);

/// Thrown to end the program with this exit code. The message has been printed.
struct Exit {
  int code;
};
[[noreturn]] void exit_with(int code);

}  // namespace kette::cli
