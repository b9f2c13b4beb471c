#include "cli/device_limits.h"

#include <algorithm>
#include <functional>

#include "tensor/backend.h"
#include "tensor/kernels.h"
#include "tensor/machine.h"
#include "tensor/random.h"
#include "tensor/stopwatch.h"

namespace kette::cli {
namespace {

constexpr std::int64_t kManyElements = std::int64_t{1} << 25;  // of f32, more than caches hold

/// The median time of a run, after three to warm up.
double typical_seconds(Device device, const std::function<void()>& work) {
  constexpr int kWarmup = 3, kRuns = 11;
  std::vector<double> seconds;
  for (int i = 0; i < kWarmup + kRuns; ++i) {
    backend(device).synchronize();
    const Stopwatch watch;
    work();
    backend(device).synchronize();
    if (i >= kWarmup) seconds.push_back(watch.seconds());
  }
  return median(seconds);
}

}  // namespace

double measure_product_gflops(const ComputeOptions& options, int threads) {
  const Device device = options.device;
  if (device.is_host()) return measure_sgemm_gflops(threads);
  constexpr std::int64_t kSide = 8192;
  const Tensor a = normal_values({kSide, kSide}, options.dtype(), device), b = a.clone(),
               c = Tensor::empty(a.shape(), a.dtype(), device);
  const MatmulArgs args = MatmulArgs::of(c, a, b);
  const double seconds =
      typical_seconds(device, [&] { on(device, [&](auto exec) { kernels::matmul(exec, args); }); });
  return 2e-9 * kSide * kSide * kSide / seconds;
}

double measure_copy_gb_per_second(Device device) {
  const Tensor from = Tensor::zeros({kManyElements}, DType::f32, device),
               to = Tensor::empty(from.shape(), DType::f32, device);
  const double seconds = typical_seconds(
      device, [&] { backend(device).copy_within(to.raw(), from.raw(), from.bytes()); });
  return 2e-9 * static_cast<double>(from.bytes()) / seconds;
}

double measure_stream_gb_per_second(Device device) {
  if (!device.is_host()) return measure_copy_gb_per_second(device);
  const Tensor values = Tensor::zeros({kManyElements});
  return 1e-9 * static_cast<double>(values.bytes()) /
         typical_seconds(device, [&] { seconds_to_read(values); });
}

Tensor normal_values(Shape shape, DType dtype, Device device) {
  constexpr std::size_t kDistinct = 1 << 20;
  Random random(1, 3);
  std::vector<float> values(shape.elements());
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = i < kDistinct ? static_cast<float>(random.normal()) : values[i - kDistinct];
  }
  return Tensor::from(values, shape, device).to(dtype);
}

}  // namespace kette::cli
