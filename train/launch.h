// Detects whether an MPI launcher (mpirun, srun) started several processes, and opens the transport between them.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "train/transport.h"

namespace kette {

/// What a launcher's environment variables say.
struct Launch {
  std::string launcher;  ///< for people: "mpirun of Open MPI"
  int processes = 1, process = 0;
  std::vector<std::string> engines;  ///< the names of fitting plug-ins, the likeliest first

  /// Nothing without a launcher. Throws an Error if it started processes that cannot find each other. variable: the
  /// value of an environment variable, or null.
  static std::optional<Launch> found(
      const std::function<const char*(const char*)>& variable = environment());
  static std::function<const char*(const char*)> environment();
};

/// The folder that the running program lies in; empty if the system does not say.
std::filesystem::path program_folder();

/// The plug-ins to try: the one that KETTE_MPI names, or libkette-ENGINE.so beside the program.
std::vector<std::filesystem::path> plugins_for(const Launch& launch);
/// Opens the first plug-in that exists and joins the other processes. Call it once. Throws an Error that says what to
/// install.
std::unique_ptr<Transport> open_transport(const Launch& launch);

}  // namespace kette
