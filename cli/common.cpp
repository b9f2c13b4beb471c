#include "cli/common.h"

#include <omp.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <memory>

#include "cli/host.h"
#include "cli/processes.h"
#include "data/files/atomic_file.h"
#include "data/files/json_text.h"
#include "data/files/text_file.h"
#include "data/files/visible_text.h"
#include "inspect/training/training_recorder.h"
#include "tensor/kernels.h"
#include "tensor/machine.h"

namespace kette::cli {

namespace {

/// Whether a file is as print_json() leaves it: one line with an object. A log or a corpus in JSON has more of them.
bool is_earlier_json(const std::filesystem::path& file) {
  constexpr std::string_view kStart = "{\"";
  if (first_bytes(file, kStart.size()) != kStart) return false;
  std::ifstream stream(file, std::ios::binary);
  std::string line;
  // At the end of the file without a line end.
  if (!std::getline(stream, line) || stream.eof()) return false;
  return stream.peek() == std::ifstream::traits_type::eof() && Json::accept(line);
}

void check_json_file(const std::filesystem::path& file) {
  // One of one step looks like earlier JSON; one of a run that begins is not there yet.
  KETTE_CHECK(file.filename() != "log.jsonl" && file.filename() != kRecordFile,
              "expected another name, given ", file.string(), ", which is that of a run's log");
  const std::filesystem::path folder = file.parent_path();
  KETTE_CHECK(folder.empty() || std::filesystem::is_directory(folder),
              "expected a file in a folder, given ", file.string(), " (create ", folder.string(),
              " first)");
  if (!std::filesystem::exists(file)) return;
  KETTE_CHECK(std::filesystem::is_regular_file(file), "expected a file, given ", file.string(),
              ", which is something else");
  KETTE_CHECK(std::filesystem::file_size(file) == 0 || is_earlier_json(file),
              "expected a new file or earlier JSON, given ", file.string(),
              ", which holds something else");
}

}  // namespace

void add_common_options(CLI::App& command, CommonOptions& options) {
  OptionGroup group(command, "Common");
  group.number("--threads", options.threads, at_least(1),
               options.threads > 0 ? "Threads" : "Threads (default: all the machine has)");
  group
      .flag_or_path(
          "--json", options.json, options.json_file,
          "Print one JSON object as the last line of stdout, or with --json=FILE write it there; all else is then as without",
          check_json_file)
      .writes();
  group.custom(
      "--config", [](const std::string&) {}, [] { return std::string(); },
      "Options from a TOML file, `name = value` a line; the command line overrides them", "FILE");
}

Option add_device_option(OptionGroup& group, Device& device) {
  // Kept as it was told: "cuda" is what each process takes one of.
  const auto told = std::make_shared<std::string>(device.str());
  return group.custom(
      "--device",
      [&device, told](const std::string& text) {
        device = parse_device(text);
        *told = text;
      },
      [told] { return *told; },
      "Where to compute: cpu, cuda or cuda:N; with cuda, processes on one host take a GPU each",
      "NAME");
}

namespace {

/// An option whose values are names of types. Sets a DType or an optional one.
template <class Chosen>
void add_type_option(OptionGroup& group, const std::string& name,
                     std::initializer_list<DType> types, Chosen& chosen,
                     const std::function<std::string()>& now, const std::string& help) {
  std::vector<std::string> names;
  for (const DType type : types) names.emplace_back(name_of(type));
  group.one_of(
      name, names,
      [&chosen, all = std::vector<DType>(types)](const std::string& given) {
        for (const DType type : all) {
          if (given == name_of(type)) chosen = type;
        }
      },
      now, help);
}

}  // namespace

void add_weights_option(OptionGroup& group, std::optional<DType>& weights,
                        const std::string& otherwise) {
  add_type_option(
      group, "--weights", {DType::f32, DType::bf16, DType::int8}, weights,
      [&weights] { return weights ? name_of(*weights) : ""; },
      "What weights are kept in: bf16 takes half the memory, int8 (on a CPU) a quarter, and decoding is quicker where it is bound by reading them (default: " +
          otherwise + ")");
}

void add_cache_option(OptionGroup& group, DType& cache) {
  add_type_option(
      group, "--cache", {DType::f32, DType::bf16}, cache, [&cache] { return name_of(cache); },
      "What keys and values of the past are kept in: bf16 takes half the memory, and less time where a text is long");
}

void add_compute_options(OptionGroup& group, ComputeOptions& options) {
  add_device_option(group, options.device).on_each([&options](const std::string& text) {
    options.is_numbered = text.find(':') != std::string::npos;
  });
  group.choice(
      "--precision", options.precision, {"f32", "tf32", "bf16"},
      "What the model computes in; with bf16, sums and the optimiser stay in f32, and a CPU that multiplies bf16 no quicker than f32 takes f32; tf32 lets products on a GPU round their factors to 11 bits");
}

std::string ComputeOptions::computed_in() const {
  const bool is_tf32 = precision == "tf32" && device.offers_tf32();
  return is_tf32 ? precision : name_of(dtype());
}

DType ComputeOptions::dtype() const {
  return precision == "bf16" && device.trains_in_bf16() ? DType::bf16 : DType::f32;
}

void ComputeOptions::apply() const {
  if (precision == "bf16" && dtype() == DType::f32) {
    to_stderr()
        << "--precision bf16: this CPU multiplies bf16 no quicker than f32, so f32 it is (kette info tells; "
           "KETTE_BF16=f32 keeps what is computed in bf16 all the same)\n";
  }
  const bool tf32 = precision == "tf32";
  KETTE_CHECK(!tf32 || device.offers_tf32(),
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
  const int shared = threads_of_process(omp_get_max_threads());
  omp_set_num_threads(options.threads > 0 ? static_cast<int>(options.threads) : shared);
  const int threads = omp_get_max_threads();
  if (threads > 1) share_processors(threads);
  return threads;
}

void print_json(const CommonOptions& options, const Json& object) {
  if (CommandHost* host = CommandHost::current()) host->take_json(object);
  if (!options.json_file.empty()) {
    if (communicator().is_first()) write_file_atomically(options.json_file, json_line(object));
  } else if (CommandHost::current() == nullptr) {
    to_stdout() << json_line(object);
  }
}

std::string json_line(const Json& object) {
  // A file's name need not be UTF-8, nor need a text that ends within a character, but JSON must be.
  return object.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string for_stdout(const std::string& text) {
  static const bool is_terminal = ::isatty(STDOUT_FILENO);
  return is_terminal && Host::current() == nullptr ? visible(text) : text;
}

std::string names_of(const std::vector<std::string>& paths) {
  return joined(paths, [](const std::string& path) { return name_of_folder(path); });
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

double processor_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

void check_replaces(const std::string& option, const std::filesystem::path& file,
                    const std::string& what, const std::function<void()>& check) {
  std::error_code none;
  if (!std::filesystem::is_regular_file(file, none))
    return;  // whoever writes it says what is wrong
  if (std::filesystem::file_size(file) == 0) return;
  try {
    check();
  } catch (const Error& error) {
    throw UsageError(option + ": expected a new file or " + what + ", given " + file.string() +
                     ", which cannot be read as that (" + error.what() + ")");
  }
}

void check_replaces(const std::string& option, const std::filesystem::path& file,
                    const std::string& what, std::initializer_list<std::string_view> starts) {
  check_replaces(option, file, what, [&] {
    const auto begins = [&](std::string_view start) {
      return first_bytes(file, start.size()) == start;
    };
    KETTE_CHECK(std::any_of(starts.begin(), starts.end(), begins), "expected ", *starts.begin(),
                ", given something else");
  });
}

void exit_with(int code) { throw Exit{code}; }

}  // namespace kette::cli
