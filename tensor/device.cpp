#include "tensor/device.h"

#include <charconv>

#include "tensor/backend.h"
#include "tensor/error.h"

namespace kette {

Backend& backend(Device device) {
#if KETTE_CUDA
  if (device.kind == DeviceKind::cuda) return cuda_backend(device.index);
#endif
  KETTE_CHECK(device.kind == DeviceKind::cpu,
              "device: expected cpu (this build has no CUDA), given ", device.str());
  return cpu_backend();
}

#if !KETTE_CUDA
std::vector<std::string> cuda_devices() { return {}; }
std::string why_no_cuda() { return "this build has no CUDA backend (KETTE_CUDA=on builds it)"; }
#endif

Device parse_device(const std::string& text) {
  if (text == "cpu") return Device{};
  const std::string kind = "cuda", index = text.size() > 5 ? text.substr(5) : "0";
  Device device{DeviceKind::cuda, 0};
  const auto [end, error] =
      std::from_chars(index.data(), index.data() + index.size(), device.index);
  KETTE_CHECK((text == kind || text.rfind(kind + ":", 0) == 0) && text != kind + ":" &&
                  error == std::errc() && end == index.data() + index.size() && device.index >= 0,
              "device: expected cpu, cuda or cuda:N, given ", text);
  const std::size_t count = cuda_devices().size();
  KETTE_CHECK(count > 0, "device: expected cpu, given ", text, "; ", why_no_cuda());
  KETTE_CHECK(static_cast<std::size_t>(device.index) < count,
              "device: expected cuda:0 to cuda:", count - 1, ", given ", text);
  return device;
}

}  // namespace kette
