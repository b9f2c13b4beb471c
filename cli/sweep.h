// The runs of a sweep file, each trained and scored by this program in a process of its own, and a table of them.
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

/// Goes on where an earlier one was stopped.
void sweep(const SweepOptions& options);

}  // namespace kette::cli
