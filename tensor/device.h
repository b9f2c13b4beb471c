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

  // Properties that the layers above tensor/ ask for, so that they need not know the kinds.
  /// Whether its memory is host memory.
  bool is_host() const { return kind == DeviceKind::cpu; }
  /// Whether work is queued and runs while the host goes on. If not, callers do it.
  bool runs_ahead() const { return kind != DeviceKind::cpu; }
  /// Whether it may grant memory that it does not have: then callers check before they take much.
  bool overcommits() const { return kind == DeviceKind::cpu; }
  /// Whether weights for decoding may be stored in int8 (tensor/decoding.h).
  bool takes_int8_weights() const { return kind == DeviceKind::cpu; }
  /// Whether a search may compute the logits of some tokens only (decode/shortlist.h).
  bool takes_shortlists() const { return kind == DeviceKind::cpu; }
  /// Whether products of f32 may round their operands to TF32.
  bool offers_tf32() const { return kind == DeviceKind::cuda; }
  /// Whether training in bf16 is faster. On a CPU: if it multiplies bf16 faster than f32, or if the
  /// environment variable KETTE_BF16 ("amx", "pairs" or "f32") is set.
  bool trains_in_bf16() const;
};

/// "cpu", "cuda" or "cuda:N"; anything else, or a device this build or machine lacks, is an Error.
/// Whether this build has kernels for a GPU shows when that is first used.
Device parse_device(const std::string& text);

/// One line per CUDA device of this machine, by index: name, architecture, memory. Empty if there
/// are none, or this build has no CUDA.
std::vector<std::string> cuda_devices();
/// Why there are none: no support built in, no driver, no device.
std::string why_no_cuda();

}  // namespace kette
