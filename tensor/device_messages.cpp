#include "tensor/device_messages.h"

#include "tensor/device.h"
#include "tensor/error.h"

#if !KETTE_CUDA

namespace kette {

std::string DeviceMessages::library() { fail("NCCL: expected CUDA, given none: ", why_no_cuda()); }
DeviceMessages::Id DeviceMessages::make_id() { return fail(library()), Id{}; }
std::unique_ptr<DeviceMessages> DeviceMessages::join(const Id&, int, int, int) {
  return fail(library()), nullptr;
}

}  // namespace kette

#endif
