// What the parts of the emulator share.
#pragma once

#include "cuda_runtime.h"

namespace emulator {

/// Runs a kernel here and now. Returns how often, at most, one of its threads reached for device
/// memory, if that is counted.
std::uint64_t run(dim3 blocks, dim3 threads, std::size_t shared_bytes,
                  const std::function<void()>& kernel);
void count_accesses(bool on);
/// By the thread that runs.
void note_access(const void* at);

bool is_device_memory(const void* at);
/// Does all work that is queued anywhere.
void catch_up();

}  // namespace emulator
