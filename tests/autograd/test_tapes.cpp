// Several tapes: one within another, and those of threads that go back to the same parameters.
#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <optional>
#include <thread>
#include <vector>

#include "autograd/all_ops.h"
#include "autograd/checkpoint.h"
#include "autograd/op_observer.h"
#include "autograd/purity.h"
#include "autograd/record.h"
#include "tests/random_tensor.h"
#include "tests/support.h"

using namespace kette;
using testing::contains;
using testing::message_of;

namespace {

/// y = x. Its backward reads the gradient so far, and adds to it once another thread is done, or has not come in time.
struct AddsLate {
  static constexpr const char* name = "adds_late";
  std::atomic<bool>* has_read;
  const std::atomic<bool>* other_is_done;
  Tensor forward(const Tensor& x) { return x.clone(); }
  void backward(const Tensor& dy, GradientSlot& dx) {
    const GradientSlot::Buffer sum = dx.buffer();
    const double before = sum.adds ? sum.tensor.item() : 0;
    *has_read = true;
    for (int i = 0; i < 100 && !*other_is_done; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    sum.tensor.data<double>()[0] = before + dy.item();
  }
};

}  // namespace

TEST_CASE("tapes of two threads add to a parameter one after the other") {
  const Variable x = parameter(Tensor::full({}, 3.0, DType::f64), "x");
  std::atomic<bool> has_read{false}, is_done{false};
  std::thread other([&] {
    while (!has_read) std::this_thread::yield();
    Tape tape;
    tape.backward(square(x));
    is_done = true;
  });
  {
    Tape tape;
    tape.backward(record(AddsLate{&has_read, &is_done}, x));
  }
  other.join();
  CHECK(x.leaf()->gradient.item() == 7);
}

TEST_CASE("a checkpoint of a parameter goes back within its own node") {
  const Variable x = parameter(Tensor::full({}, 3.0, DType::f64), "x");
  Tape tape;
  tape.backward(checkpoint([&](const std::vector<Variable>& in) { return in[0] * x; }, {x}));
  CHECK(x.leaf()->gradient.item() == 6);
}
