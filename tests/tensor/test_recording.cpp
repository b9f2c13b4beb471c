// Work that is recorded once and done many times over, as a CUDA graph on a GPU.
#include <doctest/doctest.h>

#include <string>
#include <thread>
#include <vector>

#include "tensor/backend.h"
#include "tensor/kernels.h"
#include "tests/devices.h"
#include "tests/emulated.h"

using namespace kette;

namespace {

std::unique_ptr<Recording> record_on(Device device, const std::function<void()>& work) {
  return backend(device).record(work);
}

}  // namespace

TEST_CASE("recording: the same work on what is there by then, as often as wanted") {
  for (const Device device : test_devices()) {
    CAPTURE(device.str());
    const Tensor x = Tensor::full({5}, 3, DType::f32, device),
                 y = Tensor::zeros({5}, DType::f32, device);
    const Tensor count = Tensor::zeros({2}, DType::i32, device);
    const auto recording = record_on(device, [&] {
      // Memory that is only used meanwhile, twice.
      const Tensor square = Tensor::empty({5}, DType::f32, device);
      on(device, [&](auto exec) {
        kernels::binary(exec, Multiply(), x, x, square);
        kernels::accumulate(exec, square.clone(), y);
        kernels::increment(exec, count);
      });
    });
    CHECK(y.values<float>() == std::vector<float>(5, 0));
    recording->replay();
    // Others' memory is not the recording's.
    const Tensor other = Tensor::full({5}, 7, DType::f32, device);
    recording->replay();
    x.copy_from(Tensor::full({5}, 2));
    recording->replay();
    CHECK(y.values<float>() == std::vector<float>(5, 22));
    CHECK(count.values<std::int32_t>() == std::vector<std::int32_t>{3, 3});
    CHECK(other.values<float>() == std::vector<float>(5, 7));
  }
}

TEST_CASE("CUDA: what another thread does while one records is done, and is no part of it") {
  const std::vector<Device> devices = test_devices();
  if (devices.size() == 1) return skip_cuda();
  const Device device = devices[1];
  const Tensor x = Tensor::full({5}, 3, DType::f32, device),
               y = Tensor::zeros({5}, DType::f32, device);
  const auto add = [&](const Tensor& to) {
    on(device, [&](auto exec) { kernels::accumulate(exec, x.clone(), to); });
  };
  Tensor kept;
  std::vector<float> uploaded, computed;
  std::string message;
  const auto recording = record_on(device, [&] {
    add(y);
    std::thread([&] {
      message = testing::message_of([&] {
        kept = Tensor::from(std::vector<float>{1, 2, 3, 4, 5}, device).clone();
        add(kept);
        computed = kept.values<float>();
        uploaded = Tensor::from(std::vector<float>{6, 7}, device).values<float>();
      });
    }).join();
    add(y);
  });
  CHECK(message.empty());
  const std::vector<float> expected{4, 5, 6, 7, 8};
  CHECK(computed == expected);
  CHECK(uploaded == std::vector<float>{6, 7});
  CHECK(y.values<float>() == std::vector<float>(5, 0));
  recording->replay();
  CHECK(y.values<float>() == std::vector<float>(5, 6));
  CHECK(kept.values<float>() == expected);
}

TEST_CASE("CUDA: recordings of what cannot be recorded are refused, and the device goes on") {
  const std::vector<Device> devices = test_devices();
  if (devices.size() == 1) return skip_cuda();
  const Device device = devices[1];
  Tensor kept;
  CHECK_THROWS_WITH_AS(record_on(device, [&] { kept = Tensor::zeros({5}, DType::f32, device); }),
                       doctest::Contains("work that keeps no memory"), Error);
  kept = Tensor();
  CHECK_THROWS_WITH_AS(record_on(device,
                                 [&] {
                                   Tensor::from(std::vector<float>{1, 2}, device);
                                 }),
                       doctest::Contains("without values of the host's, given 8 bytes"), Error);
  CHECK_THROWS_AS(record_on(device, [&] { backend(device).synchronize(); }), Error);
  CHECK_THROWS_WITH_AS(record_on(device, [&] { backend(device).synchronize_device(); }),
                       doctest::Contains("work that waits for nothing"), Error);
  CHECK_THROWS_WITH_AS(record_on(device, [&] { record_on(device, [] {}); }),
                       doctest::Contains("work that records nothing itself"), Error);
  CHECK(Tensor::full({2}, 4, DType::f32, device).values<float>() == std::vector<float>{4, 4});
}
