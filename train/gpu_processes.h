// Processes that compute on GPUs: chooses a GPU for each, and connects them by NCCL.
#pragma once

#include "tensor/device.h"
#include "train/communicator.h"

namespace kette {

/// The device of this process. On each host the processes take the GPUs in order. is_numbered: the user chose the
/// number of the GPU. A single process, and processes on CPUs, use `told`.
Device own_device(Communicator& communicator, Device told, bool is_numbered);
/// Sends tensors on this device by NCCL from now on. Does nothing without a GPU or for a single process.
void connect_gpus(Communicator& communicator, Device device);

}  // namespace kette
