// Processes that compute on GPUs: which of them takes which, and tensors that go from one to the other by NCCL.
#pragma once

#include "tensor/device.h"
#include "train/communicator.h"

namespace kette {

/// The GPU of this process where all were told to take one: on each host they take them in their order. is_numbered: it
/// was said which. One process, and processes on CPUs, take what they were told.
Device own_device(Communicator& communicator, Device told, bool is_numbered);
/// Tensors on that device go by NCCL from now on. Nothing where there is no GPU, or no other process.
void connect_gpus(Communicator& communicator, Device device);

}  // namespace kette
