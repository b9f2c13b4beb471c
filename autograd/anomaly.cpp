#include "autograd/anomaly.h"

#include <atomic>
#include <sstream>

#include "tensor/kernels.h"

namespace kette {
namespace {

std::atomic<int> detectors{0};

std::optional<std::int64_t> find(const Tensor& tensor) {
  if (!tensor.defined() || tensor.dtype() == DType::i32) return std::nullopt;
  return on(tensor.device(), [&](auto exec) { return kernels::first_non_finite(exec, tensor); });
}

double value_at(const Tensor& tensor, std::int64_t index) { return tensor.view(index, {}).item(); }

}  // namespace

AnomalyDetection::AnomalyDetection() { ++detectors; }
AnomalyDetection::~AnomalyDetection() { --detectors; }

std::string coordinates(const Shape& shape, std::int64_t index) {
  Shape at = shape;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    at = at.with(axis, index % shape[axis]);
    index /= shape[axis];
  }
  return at.str();
}

void check_forward(const char* op, std::span<const Variable* const> inputs, const Tensor& output) {
  if (detectors == 0) return;
  const auto bad = find(output);
  if (!bad) return;
  std::ostringstream given;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    given << (i ? ", " : "") << inputs[i]->value().str();
    if (find(inputs[i]->value())) given << " (already not finite)";
  }
  fail(op, ": expected finite values, given ", value_at(output, *bad), " at ",
       coordinates(output.shape(), *bad), " of the output ", output.shape(),
       "; inputs: ", given.str());
}

void check_backward(const char* op, std::span<GradientSlot* const> inputs) {
  if (detectors == 0) return;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i]->wanted()) continue;
    if (const auto bad = find(inputs[i]->peek())) {
      fail(op, " backward: expected a finite gradient, given ", value_at(inputs[i]->peek(), *bad),
           " at ", coordinates(inputs[i]->shape(), *bad), " of the gradient of input ", i, " ",
           inputs[i]->shape());
    }
  }
}

}  // namespace kette
