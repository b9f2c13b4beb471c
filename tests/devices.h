// The devices a kernel's test runs on: the CPU, and a CUDA device when there is one (or its
// emulator, see tests/cuda_emulator).
#pragma once

#include <vector>

#include "tensor/device.h"

namespace kette {

inline std::vector<Device> test_devices() {
  std::vector<Device> devices{Device{}};
  if (!cuda_devices().empty()) devices.push_back({DeviceKind::cuda, 0});
  return devices;
}

}  // namespace kette
