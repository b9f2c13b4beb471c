// Whether a launcher of MPI (mpirun, srun) has started this program several times, and the transport between them then.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "train/transport.h"

namespace kette {

/// What a launcher says of itself by environment variables.
struct Launch {
  std::string launcher;  ///< for people: "mpirun of Open MPI"
  int processes = 1, process = 0;
  std::vector<std::string>
      engines;  ///< names of the plug-ins that it goes with, the likeliest first

  /// variable: the value of one, or null. Nothing where there is no launcher; an Error where it has started several that
  /// cannot find each other.
  static std::optional<Launch> found(
      const std::function<const char*(const char*)>& variable = environment());
  static std::function<const char*(const char*)> environment();
};

/// Where plug-ins are looked for: the one that KETTE_MPI names, or libkette-ENGINE.so beside the program.
std::vector<std::filesystem::path> plugins_for(const Launch& launch);
/// Opens the first plug-in that is there, which lets this process join the others. Once only. Throws an Error that says
/// what to install.
std::unique_ptr<Transport> open_transport(const Launch& launch);

}  // namespace kette
