#include <doctest/doctest.h>
#include <omp.h>

#include "tensor/cpu/attention_head.h"
#include "tensor/cpu/product.h"
#include "tensor/parallel_for.h"
#include "tests/random_tensor.h"
#include "tests/support.h"

using namespace kette;

namespace {

void fail_here() { fail("thread: expected luck"); }

/// What reaches the caller of work on four threads.
template <class Work>
std::string error_of(const Work& work) {
  const int before = omp_get_max_threads();
  omp_set_num_threads(4);
  const std::string message = testing::message_of(work);
  omp_set_num_threads(before);
  return message;
}

}  // namespace

TEST_CASE("an error of one thread reaches the caller, whatever the threads share") {
  CHECK(error_of([] {
          cpu::parallel_blocks(100, 1, cpu::kParallelWork, [&](std::int64_t at, std::int64_t) {
            if (at == 70) fail_here();
          });
        }) == "thread: expected luck");
  CHECK(error_of([] {
          cpu::for_heads<float>(9, 16, 16, [&](std::int64_t index, float*, float*) {
            if (index == 5) fail_here();
          });
        }) == "thread: expected luck");
  CHECK(error_of([] {
          parallel_for(100, 3, [](std::int64_t i) {
            if (i == 70) fail_here();
          });
        }) == "thread: expected luck");
  CHECK(error_of([] {
          constexpr std::int64_t kSide = 600;
          const Tensor a = random({kSide, kSide}, 1).to(DType::f32);
          const MatrixView<const float> view{a.data<float>(), kSide};
          cpu::product<float>({kSide, kSide, kSide}, 1, view, view, 0, nullptr, 0,
                              [&](const cpu::ProductBlock& block) {
                                if (block.row > 0) fail_here();
                              });
        }) == "thread: expected luck");
}

TEST_CASE("memory that a thread does not get is an error of the caller's") {
  const std::string message = error_of([] {
    cpu::for_heads<float>(9, std::int64_t{1} << 48, 16, [](std::int64_t, float*, float*) {});
  });
  CHECK(message.starts_with("memory: expected room for"));
}
