// Trains and scores the runs of a sweep file, each in its own process, and writes a table of them.
#pragma once

#include <filesystem>

#include "cli/common.h"
#include "tensor/device.h"

namespace kette::cli {

struct SweepOptions {
  CommonOptions common;
  std::filesystem::path file, folder;
  Device device;
  std::int64_t jobs = 1;
};

/// Continues an earlier sweep that was stopped.
void sweep(const SweepOptions& options);

}  // namespace kette::cli
