// The devices a kernel's test runs on: the CPU, and a CUDA device when there is one (or its
// emulator, see tests/cuda_emulator).
#pragma once

#include <doctest/doctest.h>

#include <vector>

#include "tensor/device.h"

namespace kette {

inline std::vector<Device> test_devices() {
  std::vector<Device> devices{Device{}};
  if (!cuda_devices().empty()) devices.push_back({DeviceKind::cuda, 0});
  return devices;
}

/// Says that a test of CUDA alone was left out, and why.
inline void skip_cuda() { MESSAGE("skipped: " << why_no_cuda()); }

}  // namespace kette
