// A shared object for kette gradcheck --library.
#include "softmax_backward.h"

#include "autograd/op_library.h"
#include "autograd/ops/reduce.h"
#include "autograd/ops/softmax.h"

namespace exercise {

using namespace kette;

struct SoftmaxBackward {
  static constexpr const char* name = "your_softmax";
  static constexpr const char* formula = "e^x_j / sum_k e^x_k over the last axis";
  Tensor y{};

  Tensor forward(const Tensor& x) { return y = softmax(Variable(x)).value(); }
  void backward(const Tensor& dy, GradientSlot& dx) {
    const Tensor gradient = Tensor::empty(y.shape(), y.dtype());
    for (std::int64_t row = 0, width = y.width(); row < y.rows(); ++row) {
      softmax_backward(y.data<double>() + row * width, dy.data<double>() + row * width,
                       gradient.data<double>() + row * width, width);
    }
    dx.add(gradient);
  }
  Variable tangent(const std::array<Variable, 1>& /*x*/, const std::array<Variable, 1>& dx,
                   const Variable& probabilities) const {
    const Variable weighted = probabilities * dx[0];
    return weighted - probabilities * sum_to(weighted, dx[0].shape().with(-1, 1));
  }
  static std::vector<Sample> samples() {
    std::vector<Sample> all;
    for (const Shape& shape : {Shape{3, 5}, Shape{2, 3, 37}}) {
      all.push_back({shape.str(), {{shape, -3, 3}}, [](const std::vector<Variable>& in) {
                       return record(SoftmaxBackward{}, in[0]);
                     }});
    }
    return all;
  }
};

}  // namespace exercise

KETTE_OPS(exercise::SoftmaxBackward)
