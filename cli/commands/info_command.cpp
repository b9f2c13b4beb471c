// `kette info`: the version, the machine, and what a preset or a trained model costs, part by part.
#include <omp.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>

#include "cli/architecture.h"
#include "cli/bench/exchange_rate.h"
#include "cli/commands/commands.h"
#include "cli/common.h"
#include "cli/processes.h"
#include "cli/version.h"
#include "data/files/json_text.h"
#include "data/files/safetensors.h"
#include "data/files/visible_text.h"
#include "models/families.h"
#include "models/model_directory.h"
#include "models/points.h"
#include "tensor/machine.h"
#include "train/launch.h"

namespace kette::cli {
namespace {

struct InfoOptions {
  CommonOptions common;
  ArchitectureOptions architecture;
  std::filesystem::path model;
  std::int64_t vocabulary = 0;
  bool points = false, processes = false;

  bool has_model() const { return architecture.is_given() || vocabulary > 0 || !model.empty(); }
  std::unique_ptr<ModelConfig> config() const {
    if (model.empty()) {
      architecture.check();
    } else {
      architecture.check_like(*read_config(model), model);
    }
    auto config = model.empty() ? architecture.config() : read_config(model);
    if (vocabulary > 0) config->vocabulary = vocabulary;
    config->check();
    return config;
  }
};

constexpr double kMebi = 1024.0 * 1024.0;

double training_flops_of(const SummaryRow& row) {
  return 3 * (row.source_flops + row.target_flops);
}

Json model_json(const ModelConfig& config) {
  Json json = Json::parse(to_json(config));
  const std::int64_t parameters = count_parameters(config);
  json["parameters"] = parameters;
  double forward = 0;
  json["parts"] = Json::array();
  for (const SummaryRow& row : summary_of(config)) {
    forward += static_cast<double>(row.count) * (row.source_flops + row.target_flops);
    json["parts"].push_back({{"part", row.part},
                             {"count", row.count},
                             {"parameters", row.parameters},
                             {"source_token_flops", row.source_flops},
                             {"target_token_flops", row.target_flops},
                             {"training_flops", training_flops_of(row)},
                             {"weight_bytes", 4 * row.parameters},
                             {"training_bytes", kTrainingBytesPerParameter * row.parameters}});
  }
  json["forward_flops_per_token_pair"] = forward;
  json["training_flops_per_token_pair"] = 3 * forward;
  json["weight_bytes"] = 4 * parameters;
  json["training_bytes"] = kTrainingBytesPerParameter * parameters;
  if (const CacheSize cached = config.largest_cache(); cached.bytes > 0) {
    json["cache_tokens"] = cached.tokens;
    json["cache_bytes"] = cached.bytes;
  }
  return json;
}

void print_line(const SummaryRow& row, const std::string& part) {
  std::cout << text("%-42s %12s %10.3f %10.3f %10.3f %9.2f %9.2f\n", part.c_str(),
                    with_commas(row.parameters).c_str(), row.source_flops / 1e6,
                    row.target_flops / 1e6, training_flops_of(row) / 1e6,
                    4 * static_cast<double>(row.parameters) / kMebi,
                    static_cast<double>(kTrainingBytesPerParameter * row.parameters) / kMebi);
}

void print_table(const ModelConfig& config) {
  std::cout << "\n" << headline(config) << "\n\n";
  std::cout << text("%-42s %12s %10s %10s %10s %9s %9s\n", "", "", "MFLOP a", "MFLOP a",
                    "training,", "weights,", "training,");
  std::cout << text("%-42s %12s %10s %10s %10s %9s %9s\n", "part", "parameters", "src token",
                    "tgt token", "both", "MiB", "MiB");
  SummaryRow total{"total", 1, 0, 0, 0};
  for (const SummaryRow& row : summary_of(config)) {
    print_line(row,
               row.part + (row.count > 1 ? " (each of " + std::to_string(row.count) + ")" : ""));
    const auto count = static_cast<double>(row.count);
    total.parameters += row.count * row.parameters;
    total.source_flops += count * row.source_flops;
    total.target_flops += count * row.target_flops;
  }
  print_line(total, total.part);
  std::cout << "\nMFLOP: matrix products of the forward pass, and of a training step over a source "
               "and a target token; "
               "attention over n keys\nadds "
            << (config.largest_cache().is_state
                    ? shortest(static_cast<double>(4 * config.width * config.heads_of(0).width) /
                               1e6)
                    : shortest(static_cast<double>(4 * config.width) / 1e6) + " n")
            << " for each attention layer. Training MiB: weights, gradients and an optimiser's two "
               "moments, without activations.\n";
  if (const CacheSize cached = config.largest_cache(); cached.bytes > 0) {
    std::cout << "Decoding keeps " << (cached.is_state ? "states of " : "keys and values of ")
              << text("%.2f MiB for a text", static_cast<double>(cached.bytes) / kMebi)
              << (cached.is_state ? ", whatever the length.\n"
                                  : text(" of %lld tokens, what the model sees at once.\n",
                                         static_cast<long long>(cached.tokens)));
  }
}

/// What the parameters of a model directory lie in, and how many bytes they take there.
void print_parameters(const std::filesystem::path& model, Json& json) {
  const std::filesystem::path file = parameter_file(model);
  if (!std::filesystem::is_regular_file(file)) return;
  const DType weights = weights_of(SafetensorsFile::open(file).metadata(), file);
  const std::uintmax_t bytes = std::filesystem::file_size(file);
  std::cout << visible(file.string()) << ": weights in " << name_of(weights)
            << text(", %.2f MiB\n", static_cast<double>(bytes) / kMebi);
  json["weights"] = name_of(weights);
  json["file_bytes"] = bytes;
}

/// Where a tap can look into a pass, with the shapes there.
Json print_points(const ModelConfig& config) {
  const std::unique_ptr<Model> model = config.make_model();
  model->allocate(DType::f32, {}, Gradients::none);
  const std::int64_t source = std::min<std::int64_t>(5, model->positions()),
                     target = std::min<std::int64_t>(3, model->positions());
  const std::vector<SummaryRow> rows = summary_of(config);
  const bool reads_source = std::any_of(rows.begin(), rows.end(),
                                        [](const SummaryRow& row) { return row.source_flops > 0; });
  std::cout << "\nPoints of a pass over "
            << (reads_source ? text("a source of %lld and a target of %lld tokens",
                                    static_cast<long long>(source), static_cast<long long>(target))
                             : text("%lld tokens", static_cast<long long>(target)))
            << "\n\n";
  Json list = Json::array();
  for (const Point& point : points_of(*model, source, target)) {
    std::cout << text("%-54s %s\n", point.name.c_str(), point.shape.str().c_str());
    Json shape = Json::array();
    for (std::int64_t axis = 0; axis < point.shape.rank(); ++axis) {
      shape.push_back(point.shape[axis]);
    }
    list.push_back({{"point", point.name}, {"shape", shape}});
  }
  return list;
}

/// Who they are and what they have, or what there is to join some.
void print_processes(Json& json) {
  Communicator& processes = communicator();
  std::error_code none;
  const std::filesystem::space_info shared = std::filesystem::space("/dev/shm", none);
  const std::string has =
      cpu_name() + ", " + std::to_string(omp_get_max_threads()) + " threads, " +
      std::to_string(cuda_devices().size()) + " GPUs, " +
      (none ? "no" : text("%.0f MiB of", static_cast<double>(shared.available) / kMebi)) +
      " shared memory";
  const std::vector<std::string> all = processes.all(has);
  Json list = Json::array();
  std::cout << "processes      ";
  if (processes.is_alone()) {
    std::string engines;
    for (const char* engine : {"openmpi", "mpich", "mpi"}) {
      for (const auto& file : plugins_for({"", 1, 0, {engine}})) {
        if (!std::filesystem::exists(file)) continue;
        engines += (engines.empty() ? "" : ", ") + std::string(engine);
        break;
      }
    }
    std::cout << "1, by no launcher; it could be joined with others by "
              << (engines.empty() ? "no MPI (scripts/setup.sh --mpi, then build again)" : engines)
              << "\n";
  } else {
    std::cout << processes.str() << "\n";
    for (int process = 0; process < processes.processes(); ++process) {
      std::cout << text("  %-12d ", process) << processes.host_of(process) << ": " << all[process]
                << "\n";
      list.push_back({{"host", processes.host_of(process)}, {"has", all[process]}});
    }
    const std::int64_t bytes = std::int64_t{16} << 20;
    const double seconds = median(measure_exchange(processes, bytes, 5).ours);
    const double rate = bytes_sent(bytes, processes.processes()) / seconds / 1e9;
    std::cout << text("  exchange     16 MiB of gradients in %.4f s, %.2f GB/s sent by each\n",
                      seconds, rate);
    json["exchange_gb_per_second"] = rate;
  }
  json["processes"] = list;
}

void run(const InfoOptions& o) {
  const int threads = use_threads(o.common);
  if (o.points && !o.has_model()) {
    throw UsageError("expected --model or --preset beside --points, given neither");
  }
  Json json = {
      {"version", KETTE_VERSION},
      {"commit", built_commit()},
      {"cpu", cpu_name()},
      {"kernels", kernel_level()},
      {"bf16_kernels", bf16_kernels()},
      {"int8_kernels", int8_kernels()},
      {"blas_core", blas_core()},
      {"threads", threads},
      {"cuda_devices", cuda_devices()},
  };
  std::cout << "kette " << full_version() << "\nCPU            " << cpu_name()
            << "\nkernels        " << kernel_level() << "\nbf16 kernels   " << bf16_kernels()
            << " (KETTE_BF16=NAME overrides it)\nint8 kernels   " << int8_kernels()
            << " (KETTE_INT8=NAME overrides it)\nOpenBLAS core  " << blas_core()
            << " (KETTE_BLAS_CORE=NAME overrides it)\nthreads        " << threads << "\n";
  const std::vector<std::string> devices = cuda_devices();
  for (std::size_t i = 0; i < devices.size(); ++i) {
    std::cout << text("cuda:%-9zu %s\n", i, devices[i].c_str());
  }
  if (devices.empty()) std::cout << "CUDA           none: " << why_no_cuda() << "\n";
  if (o.processes) print_processes(json);
  if (o.has_model()) {
    const auto config = o.config();
    const std::string preset = o.model.empty() ? o.architecture.preset() : "";
    print_table(*config);
    if (preset == "base" || preset == "big") {
      std::cout << "The paper's Table 3 prints " << (preset == "base" ? "65" : "213")
                << " million; the rows of its vocabulary are not told.\n";
    }
    json["preset"] = preset;
    json["model"] = model_json(*config);
    if (!o.model.empty()) print_parameters(o.model, json["model"]);
    if (o.points) json["points"] = print_points(*config);
  }
  if (o.common.json) print_json(json);
}

void add_info_options(CLI::App& command) {
  auto options = std::make_shared<InfoOptions>();
  OptionGroup group(command, "Model");
  const Option preset = options->architecture.add_preset_option(group, all_presets(),
                                                                "What the options below change");
  const Option model =
      group.path("--model", options->model, "Or a trained model", "DIR").excludes(preset);
  group
      .number("--vocab", options->vocabulary, at_least(1),
              "Rows of its vocabulary (default: the preset's)")
      .excludes(model);
  group.flag("--points", options->points, "List what in the model a tap can look at");
  options->architecture.add_field_options(command);
  OptionGroup others(command, "Processes");
  others.flag(
      "--processes", options->processes,
      "What joins processes that a launcher starts, and how quick that is: mpirun -n 4 kette info --processes");
  add_common_options(command, options->common);
  when_run(command, [options] { run(*options); });
}

}  // namespace

const Command info_command = {"info", "Show the machine, and what a preset or a model costs",
                              add_info_options, true};

}  // namespace kette::cli
