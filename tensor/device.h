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

  // What those above tensor/ ask, who need not know which kinds there are.
  /// Whether its memory is the host's.
  bool is_host() const { return kind == DeviceKind::cpu; }
  /// Whether work is queued and done while the host goes on. Otherwise the threads that call do it.
  bool runs_ahead() const { return kind != DeviceKind::cpu; }
  /// Whether it may grant memory that it has not, so that who takes much has to ask first.
  bool overcommits() const { return kind == DeviceKind::cpu; }
  /// Whether weights of decoding may lie in int8 (tensor/decoding.h).
  bool takes_int8_weights() const { return kind == DeviceKind::cpu; }
  /// Whether a search may choose from some tokens alone without computing the others (decode/shortlist.h).
  bool takes_shortlists() const { return kind == DeviceKind::cpu; }
  /// Whether products of f32 may round their operands to TF32.
  bool offers_tf32() const { return kind == DeviceKind::cuda; }
  /// Whether training in bf16 pays. On a CPU: where it multiplies bf16 quicker than f32, or where the environment
  /// variable KETTE_BF16 ("amx", "pairs" or "f32") says how.
  bool trains_in_bf16() const;
};

/// "cpu", "cuda" or "cuda:N"; anything else, or a device this build or machine lacks, is an Error.
Device parse_device(const std::string& text);

/// One line per CUDA device that this build can use, in the order of their indices: name,
/// architecture, memory. Empty without any.
std::vector<std::string> cuda_devices();
/// Why there are none: no support built in, no driver, no device.
std::string why_no_cuda();

}  // namespace kette
