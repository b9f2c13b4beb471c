#include "train/launch.h"

#include <dlfcn.h>

#include <cstdlib>

#include "tensor/error.h"
#include "tensor/machine.h"

namespace kette {
namespace {

namespace fs = std::filesystem;

/// A variable as a number; 0 without one.
int number_in(const char* text) { return text != nullptr ? std::atoi(text) : 0; }

/// Of the kernels that are loaded, be they installed, unpacked, or in a build folder.
fs::path folder_of_kernels() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&kernel_level), &info) == 0) return {};
  fs::path folder = fs::absolute(info.dli_fname).parent_path();
  // Those of one level of the instruction set lie two folders deeper (ld.so(8)).
  if (folder.parent_path().filename() == "glibc-hwcaps") folder = folder / ".." / "..";
  return folder.lexically_normal();
}

}  // namespace

std::function<const char*(const char*)> Launch::environment() {
  return [](const char* name) { return std::getenv(name); };
}

std::optional<Launch> Launch::found(const std::function<const char*(const char*)>& variable) {
  if (const int count = number_in(variable("OMPI_COMM_WORLD_SIZE"))) {
    return Launch{"mpirun of Open MPI",
                  count,
                  number_in(variable("OMPI_COMM_WORLD_RANK")),
                  {"openmpi", "mpi"}};
  }
  const int tasks = number_in(variable("SLURM_STEP_NUM_TASKS"));
  const int task = number_in(variable("SLURM_PROCID"));
  if (const int count = number_in(variable("PMI_SIZE"))) {
    return Launch{tasks > 0 ? "srun --mpi=pmi2" : "mpirun of MPICH",
                  count,
                  number_in(variable("PMI_RANK")),
                  {"mpich", "mpi"}};
  }
  if (tasks == 0) return std::nullopt;
  KETTE_CHECK(tasks == 1 || variable("PMIX_RANK") != nullptr, "srun: expected --mpi=pmix for its ",
              tasks, " tasks to know of each other, given none (srun -n 1 for one)");
  return Launch{"srun --mpi=pmix", tasks, task, {"openmpi", "mpi"}};
}

fs::path program_folder() {
  std::error_code ignored;
  return fs::read_symlink("/proc/self/exe", ignored).parent_path();
}

std::vector<fs::path> plugins_for(const Launch& launch) {
  if (const char* named = std::getenv("KETTE_MPI")) return {named};
  const fs::path program = program_folder();
  std::vector<fs::path> files;
  for (const std::string& engine : launch.engines) {
    for (const fs::path& folder : {program / "lib", folder_of_kernels()}) {
      files.push_back(folder / ("libkette-" + engine + ".so"));
    }
  }
  return files;
}

std::unique_ptr<Transport> open_transport(const Launch& launch) {
  const std::vector<fs::path> files = plugins_for(launch);
  fs::path file;
  for (const fs::path& one : files) {
    if (file.empty() && fs::exists(one)) file = one;
  }
  KETTE_CHECK(
      !file.empty(), launch.launcher, ": expected ", files.front().string(), " for its ",
      launch.processes,
      " processes to know of each other, given no such file (scripts/setup.sh --mpi installs "
      "what it is made with, then build Kette again)");
  // For all to see: plug-ins of MPI look for their own there. Never closed.
  void* handle = dlopen(fs::absolute(file).c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (handle == nullptr) {
    fail(
        file.string(),
        ": expected a plug-in that can be loaded, given one of which the system says: ", dlerror());
  }
  const auto version =
      reinterpret_cast<const char* (*)()>(dlsym(handle, "kette_transport_version"));
  const auto open = reinterpret_cast<Transport* (*)()>(dlsym(handle, "kette_transport"));
  KETTE_CHECK(version != nullptr && open != nullptr && version() == std::string(KETTE_VERSION),
              file.string(), ": expected the plug-in of Kette ", KETTE_VERSION, ", given ",
              version != nullptr ? version() : "another library");
  std::unique_ptr<Transport> transport(open());
  KETTE_CHECK(transport->processes() == launch.processes, launch.launcher, ": expected its ",
              launch.processes, " processes in one group, given ", transport->processes(), " to ",
              transport->name(),
              ", which is not the MPI of that launcher (KETTE_MPI=FILE names another "
              "plug-in)");
  return transport;
}

}  // namespace kette
