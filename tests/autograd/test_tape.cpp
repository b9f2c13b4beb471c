#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <thread>

#include "autograd/all_ops.h"
#include "autograd/anomaly.h"
#include "autograd/checkpoint.h"
#include "autograd/gradient_check.h"
#include "tests/devices.h"
#include "tests/gradients.h"
#include "tests/random_tensor.h"
#include "tests/support.h"

using namespace kette;
using testing::contains;
using testing::message_of;

namespace {

Variable scalar_parameter(double value) {
  return parameter(Tensor::full({}, value, DType::f64), "x");
}
double gradient_of(const Variable& leaf) { return leaf.leaf()->gradient.item(); }

}  // namespace

TEST_CASE("a value used twice gathers both gradients") {
  const Variable x = scalar_parameter(3);
  Tape tape;
  tape.backward(x * x + affine(x, 5));  // d/dx (x^2 + 5x) = 2x + 5
  CHECK(gradient_of(x) == doctest::Approx(11));
}

TEST_CASE("a gradient that two values share stays when one of them gets more") {
  const Variable x = scalar_parameter(0.5);
  Tape tape;
  // Backwards the sum hands a and b its own gradient; a then gets that of the product, before b is
  // done.
  const Variable b = square(x), a = exp(x), product = affine(a, 5);
  tape.backward((a + b) + product);
  CHECK(gradient_of(x) == doctest::Approx(6 * std::exp(0.5) + 2 * 0.5));
}

TEST_CASE("norms add to the gradient of a residual stream, and leave that of a branch alone") {
  using Inputs = std::vector<Variable>;
  const auto layer = [](const Variable& x, const Inputs& in) {
    return layer_norm(x, in[1], in[2]);
  };
  const auto rms = [](const Variable& x, const Inputs& in) { return rms_norm(x, in[1]); };
  const std::vector<SampleInput> inputs = {{{5, 12}}, {{12}, 0.5, 1.5}, {{12}}};
  const auto check = [&](const std::string& what, const DifferentiableFunction& function) {
    for (const Device device : test_devices()) {
      CAPTURE(what);
      CAPTURE(device.str());
      GradientCheckOptions options;
      options.device = device;
      testing::expect_right(check_gradients(function, inputs, options));
    }
  };
  const auto check_norm = [&](const auto& norm) {
    check("a stream", [&](const Inputs& in) { return in[0] + square(norm(in[0], in)); });
    check("a stream within a graph", [&](const Inputs& in) {
      const Variable x = square(in[0]);
      return square(x + square(norm(x, in)));
    });
    check("the sum is the norm's own gradient", [&](const Inputs& in) {
      const Variable x = square(in[0]);
      return x + norm(x, in);
    });
    check("twice", [&](const Inputs& in) { return norm(in[0], in) * norm(in[0], in); });
  };
  check_norm(layer);
  check_norm(rms);
  check("a residual whose terms are one", [&](const Inputs& in) {
    const Variable x = square(in[0]);
    return x + residual_layer_norm(x, x, in[1], in[2])[1];
  });
  const auto check_outputs = [&](const char* label, const auto& combine) {
    for (const double rate : {0.0, 0.4}) {
      check(label, [&](const Inputs& in) {
        const DropoutMask mask(rate, {3, 5});
        const auto [sum, y] = residual_layer_norm(square(in[0]), exp(in[0]), in[1], in[2], mask);
        return combine(sum, y);
      });
    }
  };
  check_outputs("both outputs", [](const auto& sum, const auto& y) { return sum * y; });
  check_outputs("both, and one twice",
                [](const auto& sum, const auto& y) { return sum + square(sum) * y; });
  check_outputs("the first alone", [](const auto& sum, const auto&) { return square(sum); });
  check_outputs("the second alone", [](const auto&, const auto& y) { return square(y); });
}

TEST_CASE("gradients of several backward passes add up") {
  const Variable x = scalar_parameter(2);
  for (int pass = 0; pass < 3; ++pass) {
    Tape tape;
    tape.backward(square(x));
  }
  CHECK(gradient_of(x) == doctest::Approx(12));
}

TEST_CASE("tape: tells of each leaf once its gradient is all there") {
  const Variable a = parameter(random({3}, 1), "a"), b = parameter(random({3}, 2), "b"),
                 c = parameter(random({3}, 3), "c");
  const auto told = [&](const std::function<Variable()>& loss) {
    std::vector<std::string> names;
    std::vector<std::vector<double>> gradients;
    for (const Variable* leaf : {&a, &b, &c}) leaf->leaf()->gradient.zero();
    Tape tape;
    const Variable output = loss();
    tape.when_final([&](const Leaf& leaf) {
      names.push_back(leaf.name);
      gradients.push_back(leaf.gradient.values<double>());
    });
    tape.backward(output);
    for (std::size_t i = 0; i < names.size(); ++i) {
      for (const Variable* leaf : {&a, &b, &c}) {
        if (leaf->leaf()->name == names[i]) {
          CHECK(gradients[i] == leaf->leaf()->gradient.values<double>());
        }
      }
    }
    return names;
  };
  using Names = std::vector<std::string>;
  // Used first, and again at the end: final at the first use. What is used together is told in the reverse order.
  CHECK(told([&] { return sum(((a * b) + c) * a); }) == Names{"c", "b", "a"});
  // Within a checkpoint any may be used again.
  CHECK(told([&] {
          const Variable y = checkpoint([&](const auto& in) { return in[0] * c; }, {square(b)});
          return sum(y * c + a);
        }) == Names{"a", "c", "b"});
}

TEST_CASE("nothing is recorded unless a tape is alive") {
  const Variable x = scalar_parameter(2);
  CHECK(Tape::current() == nullptr);
  const Variable before = exp(x);
  Tape tape;
  CHECK(tape.size() == 0);
  exp(Variable(Tensor::full({}, 1.0, DType::f64)));  // a constant: not recorded either
  CHECK(tape.size() == 0);
  {
    const PauseRecording pause;
    exp(x);
  }
  CHECK(tape.size() == 0);
  CHECK_THROWS_AS(tape.backward(before), Error);  // made before the tape
}

TEST_CASE("a value of a dead tape is an error, and so is a second backward") {
  const Variable x = scalar_parameter(2);
  Variable stale;
  {
    Tape tape;
    stale = exp(x);
  }
  Tape tape;
  CHECK(contains(message_of([&] { exp(stale); }), "given one of another"));
  const Variable y = exp(x);
  tape.backward(y);
  CHECK(contains(message_of([&] { tape.backward(y); }), "has not run"));
}

TEST_CASE("a tape that is stopped can go back, and tapes may end in any order") {
  const Variable x = scalar_parameter(2);
  auto outer = std::make_unique<Tape>();
  const Variable a = square(x);
  Tape inner;
  const Variable b = a * x;  // a is a constant for the inner tape
  outer->stop();
  outer->stop();
  CHECK_FALSE(outer->is_recording());
  CHECK(Tape::current() == &inner);
  outer.reset();
  const Variable c = b * x + a * x;
  inner.stop();
  CHECK(Tape::current() == nullptr);
  square(x);
  CHECK(inner.size() == 4);
  inner.backward(c);  // 4 x^2 + 4 x
  CHECK(x.leaf()->gradient.item() == 20);
}

TEST_CASE("a tape cannot be stopped on another thread, or while recording is paused") {
  const Variable x = scalar_parameter(2);
  Tape tape;
  std::string message;
  std::thread([&] { message = message_of([&] { tape.stop(); }); }).join();
  CHECK(contains(message, "on the thread that it records"));
  {
    const PauseRecording pause;
    CHECK(contains(message_of([&] { tape.stop(); }), "while recording is not paused"));
  }
  CHECK(tape.is_recording());
  square(x);
  CHECK(tape.size() == 1);
}

TEST_CASE("backward starts from a scalar, or from a given gradient of the right shape") {
  const Variable x = parameter(Tensor::full({2, 3}, 1.0, DType::f64));
  Tape tape;
  const Variable y = affine(x, 2);
  CHECK(contains(message_of([&] { tape.backward(y); }), "expected a scalar, given [2, 3]"));
  CHECK_THROWS_AS(tape.backward(y, Tensor::zeros({3}, DType::f64)), Error);
  CHECK(message_of([&] {
          tape.backward(y, Tensor::zeros({2, 3}));
        }) == "backward: expected a gradient of f64 on cpu, given f32 [2, 3] on cpu");
  tape.backward(y, Tensor::full({2, 3}, 1, DType::f64));  // which can still go back
  CHECK(x.leaf()->gradient.values<double>() == std::vector<double>(6, 2));
}

TEST_CASE("the gradient of a watched value is kept, that of an op's result is not") {
  Tape tape;
  const Variable x = tape.watch(Tensor::full({2}, 3, DType::f64)), y = square(x),
                 unused = tape.watch(Tensor::full({2}, 3, DType::f64));
  tape.backward(sum(y));
  CHECK(tape.gradient(x).values<double>() == std::vector<double>{6, 6});
  CHECK(!tape.gradient(unused).defined());
  CHECK(contains(message_of([&] { tape.gradient(y); }), "given the result of an op"));
}

TEST_CASE("a chain of a million nodes needs no recursion") {
  const Variable x = scalar_parameter(1);
  Tape tape;
  Variable y = x;
  for (int i = 0; i < 1000000; ++i) y = affine(y, 1.0, 1e-6);
  CHECK(tape.size() == 1000000);
  tape.backward(y);
  CHECK(gradient_of(x) == 1.0);
}

TEST_CASE("the tape is a printable list") {
  const Variable x = parameter(Tensor::full({2, 3}, 1.0, DType::f64), "table");
  Tape tape;
  sum(tanh(x) * x);
  const std::string text = tape.str();
  CHECK(contains(text, "tanh"));
  CHECK(contains(text, "(table) -> [2, 3]"));
  CHECK(contains(text, "multiply"));
}

TEST_CASE("a frozen leaf gets no gradient") {
  const Variable x = scalar_parameter(2), w = scalar_parameter(3);
  w.leaf()->frozen = true;
  Tape tape;
  tape.backward(x * w);
  CHECK(gradient_of(x) == 3);
  CHECK(gradient_of(w) == 0);
}

TEST_CASE("checkpoint gives the gradients of the plain computation, to the bit") {
  const Variable w = parameter(sample_inputs({{{4, 4}}}, DType::f64, 1)[0], "w");
  const std::vector<Tensor> inputs = sample_inputs({{{3, 4}}, {{3, 4}}}, DType::f64, 2);
  const auto layer = [&](const std::vector<Variable>& in) {
    return in[1] * tanh(matmul(dropout(in[0], DropoutMask(0.3, {1, 2})), w));
  };
  const auto run = [&](bool recompute) {
    w.leaf()->gradient.zero();
    Tape tape;
    const Variable x = tape.watch(inputs[0]), gate = tape.watch(inputs[1]);
    Variable y = recompute ? checkpoint(layer, {x, gate}) : layer({x, gate});
    y = recompute ? checkpoint(layer, {y, gate}) : layer({y, gate});
    tape.backward(sum(square(y)));
    std::vector<std::vector<double>> gradients;
    for (const Tensor& gradient : {tape.gradient(x), tape.gradient(gate), w.leaf()->gradient}) {
      gradients.push_back(gradient.values<double>());
    }
    return gradients;
  };
  CHECK(run(true) == run(false));
}

TEST_CASE("checkpoint of frozen layers: backward passes them by, and goes on beside them") {
  const Variable x = Tensor::full({2}, 3.0, DType::f64),
                 w = parameter(Tensor::full({2}, 5.0, DType::f64), "w");
  Tape tape;
  const Variable y = checkpoint([](const std::vector<Variable>& in) { return square(in[0]); }, {x});
  tape.backward(sum(y * w));
  CHECK(w.leaf()->gradient.values<double>() == std::vector<double>{9, 9});
}

TEST_CASE("checkpoint: a value of the tape that is no input is an error in backward") {
  const Variable x = scalar_parameter(3);
  Tape tape;
  const Variable hidden = square(x);
  const Variable y =
      checkpoint([&](const std::vector<Variable>& in) { return in[0] * hidden; }, {exp(x)});
  CHECK(contains(message_of([&] { tape.backward(y); }),
                 "within checkpoint() the value among its inputs"));
}

TEST_CASE("anomaly detection names the op, the shapes and the first bad index") {
  const AnomalyDetection on;
  const Variable bad = Tensor::from(std::vector<double>{1, 2, 3, -1, 5, 6}, {2, 3});
  const std::string forward = message_of([&] { log(bad); });
  CHECK(contains(forward, "log: expected finite values"));
  CHECK(contains(forward, "at [1, 0] of the output [2, 3]"));

  // sqrt at 0 is finite, its gradient is not.
  const Variable x = parameter(Tensor::from(std::vector<double>{1, 0}, {2}), "x");
  Tape tape;
  const Variable y = sum(sqrt(x));
  const std::string backward = message_of([&] { tape.backward(y); });
  CHECK(contains(backward, "sqrt backward: expected a finite gradient"));
  CHECK(contains(backward, "[1]"));
}

TEST_CASE("an op given wrong shapes says what it expected") {
  const Variable a = Tensor::zeros({2, 3}), b = Tensor::zeros({4, 5});
  CHECK(
      message_of([&] { matmul(a, b); }) ==
      "matmul: expected [batch..., m, k] and [batch..., k, n], given f32 [2, 3] on cpu and f32 [4, 5] on cpu");
  CHECK(contains(message_of([&] { a + b; }), "expected shapes that broadcast"));
  const Variable bias = Tensor::zeros({2}, DType::f64);
  CHECK(message_of([&] { linear(a, a, bias); }) ==
        "linear: expected a bias f32 [2], given f64 [2] on cpu");
  CHECK(contains(message_of([&] {
                   embedding(a, Tensor::from(std::vector<std::int32_t>{0, 2}));
                 }),
                 "expected ids in 0 .. 1, given 2 in row 1"));
}

TEST_CASE("an op given operands of two devices says so") {
  const std::vector<Device> devices = test_devices();
  if (devices.size() == 1) return skip_cuda();
  const Variable here = Tensor::zeros({2}), there = Tensor::zeros({2}, DType::f32, devices[1]);
  CHECK(message_of([&] { here + there; }) ==
        "add: expected operands on one device, given f32 [2] on cpu and f32 [2] on cuda:0");
  CHECK(contains(message_of([&] { layer_norm(there, there, here); }), "on one device"));

  const Device device = devices[1];
  const Tensor ids = Tensor::from(std::vector<std::int32_t>{0, 1}, device),
               table = Tensor::zeros({2, 4}), turns = rotary_table(2, 4);
  CHECK(message_of([&] { embedding(table, ids); }) ==
        "embedding: expected ids on the host or on cpu, given i32 [2] on cuda:0");
  CHECK(contains(message_of([&] { add_positions(table, table, ids); }), "on the host or on cpu"));
  CHECK(contains(message_of([&] { linear_cross_entropy(table, table, {}, ids, {}); }),
                 "on the host or on cpu"));
  CHECK(contains(message_of([&] { rotary(table.to(device), ids, turns, 4); }),
                 "of type f32 on cuda:0, given f32 [2, 4] on cpu"));
  Tape tape;
  const Variable x = tape.watch(Tensor::zeros({2})), y = affine(x, 2);
  CHECK(message_of([&] { tape.backward(y, Tensor::zeros({2}, DType::f32, device)); }) ==
        "backward: expected a gradient of f32 on cpu, given f32 [2] on cuda:0");
  GradientSlot slot(x.value());
  CHECK(message_of([&] { slot.add(Tensor::zeros({2}, DType::f32, device)); }) ==
        "expected a gradient on cpu, given f32 [2] on cuda:0");
}

TEST_CASE("the norm of a residual stream writes over gradients that nothing else needs") {
  const Shape shape{5, 8};
  const Tensor x = Tensor::full(shape, 2), gain = Tensor::full({8}, 1);
  for (const bool sum_is_used : {false, true}) {
    ops::ResidualLayerNorm op;
    op.forward(x, x, gain, gain);
    std::array<Tensor, 2> gradients{sum_is_used ? Tensor::full(shape, 3) : Tensor(),
                                    Tensor::full(shape, 4)};
    const void* memory = gradients[sum_is_used ? 0 : 1].raw();
    GradientSlot dx(x), dresidual, dgain, dbias;
    op.backward(gradients, dx, dresidual, dgain, dbias);
    CHECK(dx.peek().raw() == memory);
  }
}
