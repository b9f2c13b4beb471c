// Where a tensor lives. One CPU; CUDA devices by index.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kette {

enum class DeviceKind : std::uint8_t { cpu, cuda };

struct Device {
  DeviceKind kind = DeviceKind::cpu;
  int index = 0;

  bool operator==(const Device&) const = default;
  std::string str() const {
    return kind == DeviceKind::cpu ? "cpu" : "cuda:" + std::to_string(index);
  }
};

/// "cpu", "cuda" or "cuda:N"; anything else, or a device this build or machine lacks, is an Error.
Device parse_device(const std::string& text);

/// One line per CUDA device that this build can use, in the order of their indices: name,
/// architecture, memory. Empty without any.
std::vector<std::string> cuda_devices();
/// Why there are none: no support built in, no driver, no device.
std::string why_no_cuda();

}  // namespace kette
