#include <doctest/doctest.h>
#include <omp.h>

#include <cmath>
#include <cstdlib>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "tensor/backend.h"
#include "tensor/block_pool.h"
#include "tensor/kernels.h"
#include "tests/devices.h"
#include "tests/gap.h"

using namespace kette;

TEST_CASE("shapes: rows, width, overflow") {
  CHECK(Shape{2, 3, 4}.rows() == 6);
  CHECK(Shape{2, 3, 4}.width() == 4);
  CHECK(Shape{}.elements() == 1);
  CHECK(Shape{2, 3}.str() == "[2, 3]");
  CHECK_THROWS_AS(Shape({std::int64_t{1} << 40, std::int64_t{1} << 40}), Error);
  CHECK_THROWS_AS(Shape({-1}), Error);
  CHECK_THROWS_AS(broadcast("add", {2, 3}, {4}), Error);
}

TEST_CASE("tensors share storage when reshaped or sliced") {
  const Tensor x = Tensor::from(std::vector<float>{0, 1, 2, 3, 4, 5}, {3, 2});
  const Tensor part = x.slice(1, 3).reshaped({4});
  CHECK(part.values<float>() == std::vector<float>{2, 3, 4, 5});
  part.data<float>()[0] = 9;
  CHECK(x.values<float>()[2] == 9);
  CHECK_FALSE(x.is_sole_owner());
  CHECK(x.clone().is_sole_owner());
  CHECK_THROWS_AS(x.reshaped({4}), Error);
  CHECK_THROWS_AS(x.slice(2, 4), Error);
  CHECK_THROWS_AS(x.view(std::int64_t{1} << 62, {std::int64_t{1} << 62}), Error);
  CHECK_THROWS_AS(Tensor().clone(), Error);
  CHECK_THROWS_AS(x.data<double>(), Error);
  CHECK_THROWS_AS(Tensor::from(std::vector<float>{1, 2}, {3}), Error);
}

TEST_CASE("tensors are copied within their memory, on every device") {
  for (const Device device : test_devices()) {
    CAPTURE(device.str());
    const auto numbers = [&] {
      std::vector<float> values(1000);
      for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
      return Tensor::from(values, {1000, 1}, device);
    };
    const Tensor up = numbers(), down = numbers();
    up.slice(1, 1000).copy_from(up.slice(0, 999));
    down.slice(0, 999).copy_from(down.slice(1, 1000));
    down.copy_from(down);
    const std::vector<float> above = up.values<float>(), below = down.values<float>();
    for (std::size_t i = 0; i < 1000; ++i) {
      CHECK(above[i] == static_cast<float>(i == 0 ? 0 : i - 1));
      CHECK(below[i] == static_cast<float>(i == 999 ? 999 : i + 1));
    }
  }
}

TEST_CASE("a tensor over memory of others keeps its owner, and never counts as the sole one") {
  const auto memory = std::make_shared<std::vector<float>>(std::vector<float>{1, 2, 3, 4});
  {
    const Tensor x = Tensor::over(memory->data(), {2, 2}, DType::f32, {}, memory);
    CHECK(memory.use_count() == 2);
    CHECK_FALSE(x.is_sole_owner());
    CHECK(x.clone().is_sole_owner());
    const Tensor row = x.slice(1, 2);
    row.data<float>()[0] = 7;
    CHECK((*memory)[2] == 7);
    (*memory)[3] = 8;
    CHECK(row.values<float>() == std::vector<float>{7, 8});
  }
  CHECK(memory.use_count() == 1);
  const auto over = [&](void* at, DType dtype, std::shared_ptr<void> owner) {
    return Tensor::over(at, {1}, dtype, {}, std::move(owner));
  };
  char* bytes = reinterpret_cast<char*>(memory->data());
  CHECK_THROWS_AS(over(bytes + 1, DType::f32, memory), Error);
  CHECK_THROWS_AS(over(bytes, DType::f32, nullptr), Error);
  CHECK(over(bytes + 1, DType::int8, memory).elements() == 1);
}

TEST_CASE("dtypes convert; bf16 rounds to nearest even") {
  CHECK(float(BFloat16(1.0f)) == 1.0f);
  CHECK(float(BFloat16(1.00390625f)) == 1.0f);       // halfway: to even
  CHECK(float(BFloat16(1.01171875f)) == 1.015625f);  // halfway: to even, upwards
  CHECK(std::isnan(float(BFloat16(NAN))));
  const Tensor x = Tensor::from(std::vector<float>{1.5f, -2.25f}, {2});
  CHECK(x.to(DType::f64).values<double>() == std::vector<double>{1.5, -2.25});
  CHECK(x.to(DType::bf16).values<float>() == std::vector<float>{1.5f, -2.25f});
  CHECK(x.to(DType::i32).values<std::int32_t>() == std::vector<std::int32_t>{1, -2});
  CHECK_THROWS_WITH_AS(
      Tensor::empty({2}, DType::int8).to(DType::f32),
      "convert: expected f32, f64, bf16 or i32, given int8, whose values mean nothing without "
      "their scale",
      Error);
}

TEST_CASE("the allocator hands blocks out again and counts them") {
  const Shape shape{1000, 77};
  { const Tensor warm = Tensor::empty(shape); }
  const MemoryStatistics before = backend(Device{}).memory();
  for (int i = 0; i < 10; ++i) const Tensor again = Tensor::empty(shape);
  const MemoryStatistics after = backend(Device{}).memory();
  CHECK(after.allocations - before.allocations == 10);
  CHECK(after.fresh_allocations == before.fresh_allocations);
  CHECK(after.in_use_bytes == before.in_use_bytes);
  CHECK_THROWS_AS(Tensor::empty({std::int64_t{1} << 52}), Error);  // 16 PiB
}

TEST_CASE("a block pool cuts segments, reuses what comes back and merges neighbours") {
  std::vector<std::pair<std::byte*, std::size_t>> reserved;
  std::size_t most = 1 << 20;
  BlockPool pool(
      4096, 64,
      [&](std::size_t bytes) -> void* {
        if (bytes > most) return nullptr;
        reserved.emplace_back(static_cast<std::byte*>(std::aligned_alloc(64, bytes)), bytes);
        return reserved.back().first;
      },
      [&](void* memory, std::size_t) {
        std::erase_if(reserved, [&](const auto& segment) { return segment.first == memory; });
        std::free(memory);
      });
  void* a = pool.allocate(1000);
  void* b = pool.allocate(1000);
  void* c = pool.allocate(1);
  CHECK(reserved.size() == 1);
  CHECK(static_cast<std::byte*>(b) - static_cast<std::byte*>(a) == 1024);
  CHECK(reinterpret_cast<std::uintptr_t>(c) % 64 == 0);
  CHECK(pool.statistics().in_use_bytes == 1024 + 1024 + 64);
  pool.release(a);
  pool.release(b);
  CHECK(pool.allocate(2048) == a);  // both merged
  CHECK(pool.statistics().fresh_allocations == 1);

  void* large = pool.allocate(10000);  // more than a segment: one of its own
  CHECK(reserved.size() == 2);
  CHECK(reserved.back().second == 10048);
  CHECK(pool.allocate(std::size_t{1} << 21) == nullptr);
  most = 100;  // the system has little left: no whole segment, but what is needed
  void* d = pool.allocate(3000);
  CHECK(d == nullptr);
  most = 3008;
  d = pool.allocate(3000);
  CHECK(reserved.back().second == 3008);

  pool.release(large);
  pool.release(d);
  pool.trim();
  CHECK(reserved.size() == 1);
  pool.release(a);
  pool.release(c);
  CHECK(pool.statistics().cached_bytes == 4096);
  pool.trim();
  CHECK(reserved.empty());
  CHECK(pool.statistics().in_use_bytes == 0);
  CHECK(pool.statistics().cached_bytes == 0);
}

TEST_CASE("blocks that grow leave no segments behind where nothing waits to use them") {
  std::set<void*> reserved;
  std::vector<std::unique_ptr<std::byte[]>> memory;  // whose addresses never come again
  const auto reserve = [&](std::size_t bytes) -> void* {
    memory.push_back(std::make_unique<std::byte[]>(bytes));
    reserved.insert(memory.back().get());
    return memory.back().get();
  };
  const auto give_back = [&](void* segment, std::size_t) { reserved.erase(segment); };
  BlockPool dropping(4096, 64, reserve, give_back, true);
  void* small = dropping.allocate(64);
  dropping.release(dropping.allocate(4096));  // two of the usual size, one of them free
  REQUIRE(reserved.size() == 2);
  for (const std::size_t bytes : {10000, 11000, 12000}) {
    dropping.release(dropping.allocate(bytes));
    CHECK(reserved.size() == 3);
  }
  CHECK(dropping.statistics().fresh_allocations == 5);
  dropping.release(dropping.allocate(11000));  // what is kept serves smaller ones
  CHECK(dropping.statistics().fresh_allocations == 5);
  CHECK(dropping.statistics().cached_bytes == 2 * 4096 - 64 + 12032);
  void* part = dropping.allocate(8000);  // a segment in use stays
  dropping.release(dropping.allocate(13000));
  CHECK(reserved.size() == 4);
  dropping.release(part);
  dropping.release(small);
  dropping.trim();
  CHECK(reserved.empty());
  CHECK(dropping.statistics().cached_bytes == 0);

  BlockPool keeping(4096, 64, reserve, give_back);
  for (const std::size_t bytes : {10000, 11000, 12000}) keeping.release(keeping.allocate(bytes));
  CHECK(reserved.size() == 3);
}

TEST_CASE("memory that is missing is told in MiB, and in KiB below one") {
  CHECK(memory_size((std::size_t{3} << 20) + 5) == "3 MiB");
  CHECK(memory_size((std::size_t{1} << 20) - 1) == "1024 KiB");
  CHECK(memory_size(1) == "1 KiB");
}

TEST_CASE("blocks lie at multiples of their device's alignment") {
  alignas(512) static std::byte memory[4096];
  BlockPool pool(
      sizeof memory, 512, [](std::size_t) -> void* { return memory; }, [](void*, std::size_t) {});
  CHECK(pool.allocate(1) == memory);
  CHECK(pool.allocate(513) == memory + 512);
  CHECK(pool.allocate(512) == memory + 1536);
  CHECK(pool.statistics().in_use_bytes == 2048);
  for (const Device device : test_devices()) {
    CAPTURE(device.str());
    std::vector<Tensor> tensors;
    for (int i = 0; i < 3; ++i) tensors.push_back(Tensor::empty({1}, DType::f32, device));
    for (const Tensor& tensor : tensors) {
      const auto address = reinterpret_cast<std::uintptr_t>(tensor.raw());
      CHECK(address % (device.kind == DeviceKind::cuda ? 512 : 64) == 0);
    }
  }
}

TEST_CASE("philox: the known answers of the Random123 distribution") {
  const auto zero = philox({0, 0}, 0);
  CHECK(zero == std::array<std::uint32_t, 4>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  const std::uint64_t ones = ~std::uint64_t{0};
  const auto all = philox({ones, ones}, ones);
  CHECK(all == std::array<std::uint32_t, 4>{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
}

TEST_CASE("random numbers have the moments they should") {
  Random random(7);
  double sum = 0, squares = 0;
  constexpr int kCount = 200000;
  for (int i = 0; i < kCount; ++i) {
    const double x = random.normal();
    sum += x;
    squares += x * x;
  }
  CHECK(std::abs(sum / kCount) < 0.01);
  CHECK(squares / kCount == doctest::Approx(1).epsilon(0.02));
}

TEST_CASE("the vectorisable exp agrees with the library's over its whole range") {
  double worst = 0;
  for (double x = -87; x < 88.7; x += 0.00137) {
    const double expected = std::exp(double(float(x)));
    worst = larger_gap(worst, std::abs(double(scalar::exp(float(x))) - expected) / expected);
  }
  CHECK(worst < 2.5e-7);
  CHECK(scalar::exp(-200.0f) == 0);
  CHECK(scalar::exp(-INFINITY) == 0);
  CHECK(std::isinf(scalar::exp(100.0f)));
  // Next to where the result leaves the range of normal numbers.
  CHECK(scalar::exp(88.72283f) == doctest::Approx(std::exp(double(88.72283f))).epsilon(1e-6));
  CHECK(std::isinf(scalar::exp(88.72284f)));
  CHECK(double(scalar::exp(-87.29999f)) / std::exp(double(-87.29999f)) ==
        doctest::Approx(1).epsilon(1e-6));
  CHECK(std::isnan(scalar::exp(NAN)));
}

TEST_CASE("sums do not depend on the number of threads") {
  std::vector<float> values(1000 * 130);
  Random random(3);
  for (float& value : values) value = static_cast<float>(random.normal());
  const Tensor x = Tensor::from(values, {1000, 130});
  const auto sums = [&](int threads, const Shape& shape) {
    const int before = omp_get_max_threads();
    omp_set_num_threads(threads);
    const Tensor y = Tensor::empty(shape);
    kernels::sum_to(CpuExec{}, x, y);
    omp_set_num_threads(before);
    return y.values<float>();
  };
  for (const Shape& shape : {Shape{130}, Shape{1000, 1}, Shape{}}) {
    CAPTURE(shape.str());
    const std::vector<float> alone = sums(1, shape);
    for (const int threads : {2, 3}) CHECK(sums(threads, shape) == alone);
  }
  double exact = 0;
  for (std::size_t row = 0; row < 1000; ++row) exact += double(values[row * 130]);
  CHECK(double(sums(1, {130})[0]) == doctest::Approx(exact).epsilon(1e-5));
}

TEST_CASE("the sum of many equal numbers is right in all but the last digits, on every device") {
  for (const Device device : test_devices()) {
    const std::int64_t count = 3'000'000;
    const Tensor x = Tensor::full({count}, 0.1, DType::f32, device),
                 sum = Tensor::empty({}, DType::f32, device);
    on(device, [&](auto exec) { kernels::sum_to(exec, x, sum); });
    CHECK(sum.values<double>()[0] == doctest::Approx(0.1f * double(count)).epsilon(1e-5).scale(0));
  }
}

TEST_CASE("sums over very many rows keep their digits, on every device") {
  for (const Device device : test_devices()) {
    CAPTURE(device.str());
    const std::int64_t rows = 1'000'000, fewer = 100'000;
    const Tensor x = Tensor::full({rows, 2}, 0.1, DType::f32, device),
                 sums = Tensor::zeros({2}, DType::f32, device),
                 added = Tensor::zeros({2}, DType::f32, device);
    on(device, [&](auto exec) {
      kernels::sum_to(exec, x, sums);
      kernels::add_rows(exec, x.slice(0, fewer), added);  // as for the gradient of a bias
    });
    const auto gap = [](double sum, std::int64_t count) {
      return std::abs(sum / (double(0.1f) * double(count)) - 1);
    };
    for (const double sum : sums.values<double>()) CHECK(gap(sum, rows) < 1e-6);
    for (const double sum : added.values<double>()) CHECK(gap(sum, fewer) < 2e-6);
  }
}

TEST_CASE("the first number that is not finite is found wherever it stands, on every device") {
  for (const Device device : test_devices()) {
    CAPTURE(device.str());
    for (const DType dtype : {DType::f32, DType::f64, DType::bf16}) {
      const auto first = [&](const std::vector<std::pair<std::size_t, double>>& bad) {
        std::vector<double> values(50'000, 1.5);
        for (const auto& [place, value] : bad) values[place] = value;
        const Tensor x = Tensor::from(values, {50'000}).to(dtype).to(device);
        return on(device, [&](auto exec) { return kernels::first_non_finite(exec, x); });
      };
      CHECK_FALSE(first({}).has_value());
      for (const std::size_t place : {0, 5'000, 40'000, 49'999}) {
        CHECK(first({{place, NAN}}) == static_cast<std::int64_t>(place));
        CHECK(first({{place, -INFINITY}, {49'999, NAN}}) == static_cast<std::int64_t>(place));
      }
    }
  }
}

TEST_CASE("a copy to the host has the values of its time") {
  for (const Device device : test_devices()) {
    const Tensor x = Tensor::full({3}, 5, DType::f64, device);
    const auto copy = backend(device).start_copy_to_host(x.raw(), x.bytes());
    x.zero();
    const auto* values = static_cast<const double*>(copy->wait());
    CHECK(values[0] == 5);
    CHECK(values[2] == 5);
    CHECK(x.values<double>() == std::vector<double>{0, 0, 0});
  }
}

TEST_CASE("copies from the host take the values of their time, however many and large") {
  for (const Device device : test_devices()) {
    std::vector<Tensor> copies;
    std::vector<std::int32_t> values(70000);  // more than a slot of pinned memory holds
    for (int turn = 0; turn < 80; ++turn) {   // more than there are slots
      values.resize(turn % 2 ? 70000 : 3);
      values.front() = turn;
      copies.push_back(Tensor::from(values, device));
    }
    for (int turn = 0; turn < 80; ++turn) {
      CHECK(copies[turn].view(0, {}).item() == turn);
    }
  }
}
