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

TEST_CASE("tapes within tapes: an op on values of an outer one alone is recorded there") {
  const Variable x = parameter(Tensor::full({}, 3.0, DType::f64), "x");
  Tape outer;
  const Variable h = affine(x, 1);
  Variable squared, cubed, mixed;
  {
    Tape inner;
    squared = square(h);
    mixed = h * x;
    CHECK(inner.size() == 1);
    const Variable own = exp(x);
    Tape innermost;
    cubed = squared * h;
    exp(own);
    CHECK(innermost.size() == 0);
    CHECK(inner.size() == 3);
    CHECK(outer.size() == 3);
    CHECK(Tape::tracking(h) == &outer);
    CHECK(Tape::tracking(own) == &inner);
    CHECK(Tape::tracking(x) == &innermost);
  }
  CHECK(contains(message_of([&] { square(mixed); }), "given one of another"));
  outer.backward(h + squared + cubed);  // 1 + 2 x + 3 x^2
  CHECK(x.leaf()->gradient.item() == 34);
}

TEST_CASE(
    "tapes within tapes: an op that computes its gradients forwards asks the tape that records it") {
  const Variable w = parameter(random({5, 4}, 1), "w");
  const Tensor rows = random({3, 4}, 2), targets = Tensor::from(std::vector<std::int32_t>{0, 4, 2});
  const auto gradient = [&](bool is_within) {
    w.leaf()->gradient.zero();
    Tape outer;
    const Variable weight = affine(w, 2);
    std::optional<Tape> inner;
    if (is_within) inner.emplace();
    const Variable loss = linear_cross_entropy(rows, weight, {}, targets, {});
    inner.reset();
    outer.backward(loss);
    return w.leaf()->gradient.values<double>();
  };
  CHECK(gradient(true) == gradient(false));
}

TEST_CASE("backward: a value that was computed after its tape had stopped") {
  const Variable x = parameter(Tensor::full({}, 3.0, DType::f64), "x");
  Tape tape;
  const Variable y = square(x);
  tape.stop();
  CHECK(contains(message_of([&] { tape.backward(square(y)); }),
                 "computed when this tape did not record it"));
  tape.backward(y);
  CHECK(x.leaf()->gradient.item() == 6);
}

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

TEST_CASE("observers of a thread may end in any order") {
  PurityObserver first, second;
  OpObserver* const before = OpObserver::current();
  std::optional<OpObservation> outer(&first);
  std::optional<OpObservation> inner(&second);
  outer.reset();
  CHECK(OpObserver::current() == &second);
  inner.reset();
  CHECK(OpObserver::current() == before);
}
