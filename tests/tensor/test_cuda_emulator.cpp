// The emulator shows what it promises to show: mistakes of kernels and of the host, and counts.
#include <array>
#include <cmath>
#include <cstring>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "cli/bench/bench_ids.h"
#include "tensor/backend.h"
#include "tensor/kernels.h"
#include "tests/devices.h"
#include "tests/emulated.h"
#include "tests/environment.h"
#include "tests/random_tensor.h"

using namespace kette;

namespace {

const Device kCuda{DeviceKind::cuda, 0};

/// In how many of kOrders orders wrong() is true.
template <class Wrong>
std::uint64_t orders_with(emulator::Emulator& emulator, const Wrong& wrong) {
  std::uint64_t count = 0;
  for_orders(emulator, kOrders, [&](std::uint64_t) { count += wrong(); });
  return count;
}

using Numbers = std::array<float, 256>;  // 64 threads take four each, the 16 bytes of a copy

constexpr unsigned kThreads = 64;

/// Ids of rows as text has them: the r-th most frequent has a share of 1 / r.
Tensor zipf_ids(std::int64_t count, std::int64_t entries) {
  const cli::BenchIds text("zipf", 0, entries);
  Random random(1);
  std::vector<std::int32_t> ids(static_cast<std::size_t>(count));
  for (std::int32_t& id : ids) id = text.draw(random);
  return Tensor::from(ids);
}

}  // namespace

TEST_CASE("CUDA emulator: a missing barrier shows on the emulator, between warps and within one") {
  emulator::Emulator* emulator = emulator::find();
  if (emulator == nullptr) return skip_emulator();
  for (const unsigned distance : {1u, 32u}) {
    const auto wrong = [&](bool waits) {
      std::array<unsigned, kThreads> from{}, to{};
      emulator->run(kThreads, [&](unsigned thread) {
        from[thread] = thread + 1;
        if (waits) emulator->block_barrier();
        to[thread] = from[thread ^ distance];
      });
      for (unsigned thread = 0; thread < kThreads; ++thread) {
        if (to[thread] != (thread ^ distance) + 1) return true;
      }
      return false;
    };
    CAPTURE(distance);
    CHECK(orders_with(*emulator, [&] { return wrong(false); }) == kOrders);
    CHECK(orders_with(*emulator, [&] { return wrong(true); }) == 0);
  }
}

TEST_CASE("CUDA emulator: a copy within a kernel that is read or overwritten too early shows") {
  emulator::Emulator* emulator = emulator::find();
  if (emulator == nullptr) return skip_emulator();
  Numbers source;
  std::iota(source.begin(), source.end(), 1.0f);
  const auto wrong = [&](bool finishes) {
    Numbers panel{}, read{};
    emulator->run(kThreads, [&](unsigned thread) {
      emulator->start_copy(&panel[thread * 4], &source[thread * 4], 16, true);
      if (finishes) emulator->finish_copies();
      emulator->block_barrier();
      std::memcpy(&read[thread * 4], &panel[(thread ^ 32) * 4], 16);
    });
    for (std::size_t i = 0; i < read.size(); ++i) {
      if (read[i] != source[i ^ 128]) return true;
    }
    return false;
  };
  CHECK(orders_with(*emulator, [&] { return wrong(false); }) == kOrders);
  CHECK(orders_with(*emulator, [&] { return wrong(true); }) == 0);

  const auto overwritten = [&](bool waits) {
    Numbers panel = source, read{};
    emulator->run(kThreads, [&](unsigned thread) {
      std::memcpy(&read[thread * 4], &panel[(thread ^ 32) * 4], 16);
      if (waits) emulator->block_barrier();
      emulator->start_copy(&panel[thread * 4], nullptr, 16, false);
      emulator->finish_copies();
    });
    for (std::size_t i = 0; i < read.size(); ++i) {
      if (read[i] != source[i ^ 128]) return true;
    }
    return false;
  };
  CHECK(orders_with(*emulator, [&] { return overwritten(false); }) == kOrders);
  CHECK(orders_with(*emulator, [&] { return overwritten(true); }) == 0);
}

TEST_CASE("CUDA emulator: pinned memory that is written or read before its copy is done shows") {
  emulator::Emulator* emulator = emulator::find();
  if (emulator == nullptr) return skip_emulator();
  auto* device = static_cast<int*>(emulator->allocate(sizeof(int), false));
  auto* slot = static_cast<int*>(emulator->allocate(sizeof(int), true));
  const auto reused = [&](bool waits) {
    *slot = 1;
    emulator->queue_copy(device, slot, sizeof(int), true);
    if (waits) emulator->synchronize();
    *slot = 2;
    emulator->synchronize();
    return *device != 1;
  };
  const auto read_early = [&](bool waits) {
    *device = 3;
    *slot = 0;
    emulator->queue_copy(slot, device, sizeof(int), false);
    if (waits) emulator->synchronize();
    const bool wrong = *slot != 3;
    emulator->synchronize();
    return wrong;
  };
  // Some streams keep up with what is queued.
  CHECK(orders_with(*emulator, [&] { return reused(false); }) > 3);
  CHECK(orders_with(*emulator, [&] { return reused(true); }) == 0);
  CHECK(orders_with(*emulator, [&] { return read_early(false); }) > 3);
  CHECK(orders_with(*emulator, [&] { return read_early(true); }) == 0);
  // Other memory is the host's again at once.
  int pageable = 4;
  emulator->queue_copy(device, &pageable, sizeof(int), true);
  pageable = 5;
  emulator->queue_copy(&pageable, device, sizeof(int), false);
  CHECK(pageable == 4);
  emulator->release(device, false);
  emulator->release(slot, true);
}

TEST_CASE("CUDA emulator: a wait for the device is also one for what others have queued on it") {
  emulator::Emulator* emulator = emulator::find();
  if (emulator == nullptr) return skip_emulator();
  auto* theirs = static_cast<float*>(emulator->allocate(sizeof(float), false));
  const Tensor x = Tensor::over(theirs, {1}, DType::f32, kCuda, std::make_shared<int>(0));
  const auto read_early = [&](bool waits) {
    const float before = 1, after = 2;
    emulator->queue_copy(theirs, &before, sizeof before, true);
    emulator->synchronize();
    emulator->queue_copy(theirs, &after, sizeof after, true);
    if (waits) backend(kCuda).synchronize_device();
    const bool wrong = x.clone().item() != 2;
    emulator->synchronize();
    return wrong;
  };
  CHECK(orders_with(*emulator, [&] { return read_early(false); }) > 3);
  CHECK(orders_with(*emulator, [&] { return read_early(true); }) == 0);
  emulator->release(theirs, false);
}

TEST_CASE("CUDA emulator: the emulator counts launches, copies and waits of the host") {
  emulator::Emulator* emulator = emulator::find();
  if (emulator == nullptr) return skip_emulator();
  const Tensor x = random({3, 40}, 1).to(DType::f32).to(kCuda);
  const Tensor y = Tensor::empty({3}, DType::f32, kCuda);
  const Tensor columns = Tensor::empty({3}, DType::i32, kCuda);
  const auto maximum = [&] {
    on(kCuda, [&](auto exec) { kernels::max_last(exec, x, y, columns); });
  };
  emulator::Counts counts = emulator->counted([&] {
    maximum();
    maximum();
  });
  CAPTURE(counts.str());
  CHECK(counts.launches == 2);
  CHECK(counts.kernels.at("max_of_rows").launches == 2);
  CHECK(counts.host_waits == 0);
  CHECK(counts.copies_to_device == 0);

  counts = emulator->counted([&] {
    maximum();
    y.values<float>();
    y.values<float>();
    random({2}, 1).to(kCuda);
  });
  CHECK(counts.launches == 1);
  CHECK(counts.host_waits == 2);
  CHECK(counts.copies_to_host == 2);
  CHECK(counts.bytes_to_host == 2 * 3 * sizeof(float));
  CHECK(counts.copies_to_device == 1);
  CHECK(counts.bytes_to_device == 2 * sizeof(double));
  CHECK(emulator->counted([] {}).launches == 0);
}

TEST_CASE("CUDA emulator: the emulator counts how often a thread reaches for device memory") {
  emulator::Emulator* emulator = emulator::find();
  if (emulator == nullptr) return skip_emulator();
  if (!emulator::kCountsAccesses) return skip_accesses();
  const Tensor x = random({2, 3200}, 1).to(DType::f32).to(kCuda);
  const Tensor y = Tensor::empty({2}, DType::f32, kCuda);
  const emulator::Counts counts = emulator->counted([&] {
    on(kCuda, [&](auto exec) { kernels::sum_to(exec, x, y.reshaped({2, 1})); });
  });
  // 256 threads share a row; the first writes the sum.
  CHECK(counts.kernels.at("sum_rows").serial_accesses == (3200 + 255) / 256 + 1);
}

TEST_CASE("CUDA emulator: a device short of memory waits for its work before it gives any back") {
  emulator::Emulator* emulator = emulator::find();
  if (emulator == nullptr) return skip_emulator();
  const Tensor x = Tensor::empty({64}, DType::f32, kCuda);
  backend(kCuda).trim();  // nothing is left to give back, which would wait of itself
  const emulator::Counts counts = emulator->counted([&] {
    on(kCuda, [&](auto exec) { kernels::fill(exec, x, 1); });
    CHECK_THROWS_WITH_AS(Tensor::empty({std::int64_t{1} << 31}, DType::f32, kCuda),
                         doctest::Contains("expected room for 8192 MiB more on cuda:0"), Error);
  });
  CHECK(counts.host_waits == 1);
}

TEST_CASE("CUDA emulator: an upload takes what is kept for reuse before it fails") {
  emulator::Emulator* emulator = emulator::find();
  if (emulator == nullptr) return skip_emulator();
  const std::vector<float> values(std::size_t{1} << 20, 1.0f);  // 4 MiB, a segment of uploads
  backend(kCuda).trim();
  Tensor::empty({std::int64_t{1} << 26}, DType::f32, kCuda);  // 256 MiB, which are then kept
  emulator->limit_memory(std::size_t{0});
  std::vector<Tensor> uploads;
  const std::string message = testing::message_of([&] {
    for (int i = 0; i < 32; ++i) uploads.push_back(Tensor::from(values, kCuda));
  });
  emulator->limit_memory(std::nullopt);
  CHECK(message.empty());
  CHECK(uploads.size() == 32);
}

TEST_CASE("CUDA emulator: a GPU that no kernels were compiled for is told, and what to do") {
  if (emulator::find() == nullptr) return skip_emulator();
  const testing::Environment planted("KETTE_EMULATOR_FAULT", "no kernels");
  CHECK_THROWS_WITH_AS(
      backend({DeviceKind::cuda, 63}),
      "device: expected a GPU that this build has kernels for, given cuda:63 (emulator on the CPU, "
      "sm_00); build Kette with -DKETTE_CUDA_ARCHITECTURES=00",
      Error);
}

TEST_CASE("CUDA emulator: no thread walks through thousands of rows") {
  emulator::Emulator* emulator = emulator::find();
  if (emulator == nullptr) return skip_emulator();
  if (!emulator::kCountsAccesses) return skip_accesses();
  constexpr std::int64_t kRows = 4096, kWidth = 8, kEntries = 1000;
  const Tensor dy = random({kRows, kWidth}, 1).to(DType::f32).to(kCuda);
  const Occurrences occurrences(zipf_ids(kRows, kEntries), kEntries);
  const Tensor table = Tensor::zeros({kEntries, kWidth}, DType::f32).to(kCuda);
  const emulator::Counts counts = emulator->counted([&] {
    on(kCuda, [&](auto exec) {
      kernels::scatter_add(exec, dy, occurrences, table, 1);
      kernels::sum_to(exec, dy, table.slice(0, 1));
      sum_of_squares(dy);
    });
  });
  CAPTURE(counts.str());
  check_serial_accesses(counts, 512);
}

TEST_CASE("CUDA emulator: sums and prepacked products have the same bits in 20 orders of threads") {
  emulator::Emulator* emulator = emulator::find();
  if (emulator == nullptr) return skip_emulator();
  const Tensor x = random({70, 33}, 1).to(DType::f32).to(kCuda);
  const Tensor weight = random({130, 33}, 2).to(DType::f32).to(kCuda);
  const Tensor bias = random({130}, 3).to(DType::f32).to(kCuda);
  std::vector<float> expected;
  for_orders(*emulator, kFewerOrders, [&](std::uint64_t seed) {
    std::vector<float> results;
    const auto keep = [&](const Tensor& y) {
      const auto values = y.values<float>();
      results.insert(results.end(), values.begin(), values.end());
    };
    on(kCuda, [&](auto exec) {
      for (const Shape& shape : {Shape{70, 1}, Shape{1, 33}}) {
        const Tensor sums = Tensor::empty(shape, DType::f32, kCuda);
        kernels::sum_to(exec, x, sums);
        keep(sums);
      }
      results.push_back(static_cast<float>(sum_of_squares(x)));
      for (const DType panels : {DType::f32, DType::bf16}) {
        const PrepackedWeight prepacked = kernels::prepack_linear(exec, weight, bias, panels);
        for (const std::int64_t rows : {1, 3, 7, 40}) {  // one for each of the kernels
          const Tensor y = Tensor::empty({rows, 130}, DType::f32, kCuda);
          kernels::prepacked_linear(exec, {&prepacked, x.slice(0, rows), y});
          keep(y);
        }
      }
    });
    if (seed == 1) expected = results;
    CHECK(results == expected);
  });
}
