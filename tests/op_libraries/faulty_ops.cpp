// Ops that a check must fail, each for a reason of its own, and one that is right.
#include <stdexcept>

#include "autograd/op_library.h"
#include "autograd/ops/elementwise.h"

namespace {

using namespace kette;

std::vector<Sample> sample_of(const std::function<Variable(const std::vector<Variable>&)>& call) {
  return {{"", {{{6}, -4, 4}}, call}};
}

struct Right {
  static constexpr const char* name = "right";
  Tensor forward(const Tensor& x) { return affine(Variable(x), 3).value(); }
  void backward(const Tensor& dy, GradientSlot& dx) { dx.add(affine(Variable(dy), 3).value()); }
  static std::vector<Sample> samples() {
    return sample_of([](const std::vector<Variable>& in) { return record(Right{}, in[0]); });
  }
};
struct ZeroBelowZero {
  static constexpr const char* name = "zero_below_zero";
  Tensor x{}, y{};
  Tensor forward(const Tensor& input) {
    x = input;
    return y = exp(Variable(x)).value();
  }
  void backward(const Tensor& dy, GradientSlot& dx) {
    const Tensor gradient = (Variable(dy) * Variable(y)).value();
    for (std::int64_t i = 0; i < x.elements(); ++i) {
      if (x.data<double>()[i] < 0) gradient.data<double>()[i] = 0;
    }
    dx.add(gradient);
  }
  static std::vector<Sample> samples() {
    return sample_of(
        [](const std::vector<Variable>& in) { return record(ZeroBelowZero{}, in[0]); });
  }
};
struct Throws {
  static constexpr const char* name = "throws";
  Tensor forward(const Tensor&) { throw std::runtime_error("no luck today"); }
  void backward(const Tensor&, GradientSlot&) {}
  static std::vector<Sample> samples() {
    return sample_of([](const std::vector<Variable>& in) { return record(Throws{}, in[0]); });
  }
};

}  // namespace

KETTE_OPS(Right, ZeroBelowZero, Throws)
