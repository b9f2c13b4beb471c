// `kette info`: shows the version, the machine, and the cost of a preset or a trained model by part.
#include <omp.h>

#include <filesystem>
#include <memory>

#include "cli/architecture.h"
#include "cli/bench/exchange_rate.h"
#include "cli/commands/commands.h"
#include "cli/host.h"
#include "cli/model_report.h"
#include "cli/processes.h"
#include "cli/shipped_models.h"
#include "cli/show.h"
#include "cli/version.h"
#include "models/families.h"
#include "models/model_directory.h"
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
      architecture.check_like(*config_of(model), model);
    }
    auto config = model.empty() ? architecture.config() : config_of(model);
    if (vocabulary > 0) config->vocabulary = vocabulary;
    config->check();
    return config;
  }
};

constexpr double kMebi = 1024.0 * 1024.0;

/// Who they are and what they have, or what there is to join some.
void add_processes(Report& report) {
  Communicator& processes = communicator();
  std::error_code none;
  const std::filesystem::space_info shared = std::filesystem::space("/dev/shm", none);
  const std::string has =
      cpu_name() + ", " + std::to_string(omp_get_max_threads()) + " threads, " +
      std::to_string(cuda_devices().size()) + " GPUs, " +
      (none ? "no" : text("%.0f MiB of", static_cast<double>(shared.available) / kMebi)) +
      " shared memory";
  const std::vector<std::string> all = processes.all(has);
  std::string line = "processes      ";
  Table list{.key = "processes",
             .columns = {{.key = "host", .title = "host"}, {.key = "has", .title = "has"}}};
  if (processes.is_alone()) {
    std::string engines;
    for (const char* engine : {"openmpi", "mpich", "mpi"}) {
      for (const auto& file : plugins_for({"", 1, 0, {engine}})) {
        if (!std::filesystem::exists(file)) continue;
        engines += (engines.empty() ? "" : ", ") + std::string(engine);
        break;
      }
    }
    line += "1, by no launcher; it could be joined with others by " +
            (engines.empty() ? "no MPI (scripts/setup.sh --mpi, then build again)" : engines) +
            "\n";
  } else {
    line += processes.str() + "\n";
    for (int process = 0; process < processes.processes(); ++process) {
      line += text("  %-12d ", process) + processes.host_of(process) + ": " + all[process] + "\n";
      list.rows.push_back({{processes.host_of(process), all[process]}});
    }
    const std::int64_t bytes = std::int64_t{16} << 20;
    const double seconds = median(measure_exchange(processes, bytes, 5).ours);
    const double rate = bytes_sent(bytes, processes.processes()) / seconds / 1e9;
    line += text("  exchange     16 MiB of gradients in %.4f s, %.2f GB/s sent by each\n", seconds,
                 rate);
    report.fact("exchange_gb_per_second", rate);
  }
  report.line(std::move(line), kText | kPage);
  report.table(std::move(list), kJson);
}

/// The program and the machine.
void add_machine(Report& report, int threads) {
  const std::vector<std::string> devices = cuda_devices();
  report.fact("version", KETTE_VERSION);
  report.fact("commit", built_commit());
  report.fact("cpu", cpu_name());
  report.fact("kernels", kernel_level());
  report.fact("bf16_kernels", bf16_kernels());
  report.fact("int8_kernels", int8_kernels());
  report.fact("blas_core", blas_core());
  report.fact("threads", threads);
  report.fact("cuda_devices", devices);
  std::string lines = "kette " + full_version() + "\nCPU            " + cpu_name() +
                      "\nkernels        " + kernel_level() + "\nbf16 kernels   " + bf16_kernels() +
                      " (KETTE_BF16=NAME overrides it)\nint8 kernels   " + int8_kernels() +
                      " (KETTE_INT8=NAME overrides it)\nOpenBLAS core  " + blas_core() +
                      " (KETTE_BLAS_CORE=NAME overrides it)\nthreads        " +
                      std::to_string(threads) + "\n";
  for (std::size_t i = 0; i < devices.size(); ++i) {
    lines += text("cuda:%-9zu %s\n", i, devices[i].c_str());
  }
  if (devices.empty()) lines += "CUDA           none: " + why_no_cuda() + "\n";
  report.section("The machine");
  report.line(std::move(lines), kText | kPage);
}

void run(const InfoOptions& o) {
  const int threads = use_threads(o.common);
  if (o.points && !o.has_model()) {
    throw UsageError("expected --model or --preset beside --points, given neither");
  }
  Report report{
      .title = "Kette",
      .lead =
          "What this machine has, and what a model costs on it in parameters, products and memory.",
      .about = "Made by kette info."};
  add_machine(report, threads);
  if (o.processes) add_processes(report);
  if (!o.has_model()) return show(report, o.common);
  const auto config = o.config();
  const std::string preset = o.model.empty() ? o.architecture.preset() : "";
  report.fact("preset", preset);
  report.inner("model", report_of_model(*config, o.model));
  if (preset == "base" || preset == "big") {
    report.line(std::string("The paper's Table 3 prints ") + (preset == "base" ? "65" : "213") +
                    " million; the rows of its vocabulary are not told.\n",
                kText | kPage);
  }
  if (o.points) report.add(report_of_points(*config));
  show(report, o.common);
}

void add_info_options(CLI::App& command) {
  auto options = std::make_shared<InfoOptions>();
  OptionGroup group(command, "Model");
  const Option preset = options->architecture.add_preset_option(group, all_presets(),
                                                                "What the options below change");
  const Option model = group.path("--model", options->model, "Or a trained model", "DIR")
                           .changed_by(model_folder)
                           .excludes(preset);
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
  add_page_option(others, options->common);
  add_common_options(command, options->common);
  when_run(command, [options] { run(*options); });
}

}  // namespace

const Command info_command = {"info", "Show the machine, and what a preset or a model costs",
                              add_info_options, true};

}  // namespace kette::cli
