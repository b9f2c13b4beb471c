// Ops for `kette gradcheck --library`: y = x^3 with a tangent and an op of two inputs without.
#include "autograd/all_ops.h"
#include "autograd/op_library.h"

namespace my {

using namespace kette;

struct Cube {
  static constexpr const char* name = "my_cube";
  static constexpr const char* formula = "x^3";
  Tensor x{};

  Tensor forward(const Tensor& input) {
    x = input;
    return (square(Variable(x)) * Variable(x)).value();
  }
  void backward(const Tensor& dy, GradientSlot& dx) {
    dx.add((affine(square(Variable(x)), 3) * Variable(dy)).value());
  }
  Variable tangent(const std::array<Variable, 1>& at, const std::array<Variable, 1>& change,
                   const Variable& /*y*/) const {
    return affine(square(at[0]), 3) * change[0];
  }
  static std::vector<Sample> samples() {
    return {{"[3, 5]", {{{3, 5}}}, [](const std::vector<Variable>& in) {
               return record(Cube{}, in[0]);
             }}};
  }
};

struct Distance {
  static constexpr const char* name = "my_distance";
  Tensor difference{};

  Tensor forward(const Tensor& a, const Tensor& b) {
    difference = (Variable(a) - Variable(b)).value();
    return square(Variable(difference)).value();
  }
  void backward(const Tensor& dy, GradientSlot& da, GradientSlot& db) {
    da.add(affine(Variable(difference) * Variable(dy), 2).value());
    db.add(affine(Variable(difference) * Variable(dy), -2).value());
  }
  static std::vector<Sample> samples() {
    return {{"", {{{7}}, {{7}}}, [](const std::vector<Variable>& in) {
               return record(Distance{}, in[0], in[1]);
             }}};
  }
};

}  // namespace my

KETTE_OPS(my::Cube, my::Distance)
