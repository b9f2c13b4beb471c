#include "python/src/nested_lists.h"

#include <cstdint>
#include <string>
#include <vector>

namespace kette::python {
namespace {

/// Nested lists of numbers.
struct Nested {
  Shape shape;
  std::vector<double> values;
  bool is_whole = true;

  void read(nb::handle value, int axis) {
    if (nb::isinstance<Variable>(value)) {
      throw nb::type_error(
          "tensor: expected numbers in lists, given a Tensor (kt.concatenate joins tensors; + adds them)");
    }
    if (nb::isinstance<nb::str>(value) || !PySequence_Check(value.ptr())) {
      if (!is_number(value)) {
        throw nb::type_error(
            ("tensor: expected an array, a number, or nested lists of numbers, given " +
             type_of(value))
                .c_str());
      }
      KETTE_CHECK(axis == shape.rank() || values.empty(),
                  "tensor: expected lists of equal depth, given a number beside a list");
      is_whole = is_whole && !PyFloat_Check(value.ptr());
      const double number = PyFloat_AsDouble(value.ptr());
      if (PyErr_Occurred() != nullptr) throw nb::python_error();
      values.push_back(number);
      return;
    }
    const auto count = static_cast<std::int64_t>(nb::len(value));
    if (axis == shape.rank()) {
      KETTE_CHECK(values.empty(),
                  "tensor: expected lists of equal depth, given a list beside a number");
      shape.push_back(count);
    }
    KETTE_CHECK(shape[axis] == count, "tensor: expected lists of equal length, given ", shape[axis],
                " and ", count, " in axis ", axis);
    for (std::int64_t i = 0; i < count; ++i) read(value[i], axis + 1);
  }
};

}  // namespace

Tensor from_lists(const nb::object& value, std::optional<DType> dtype) {
  Nested nested;
  nested.read(value, 0);
  KETTE_CHECK(nested.shape.elements() == static_cast<std::int64_t>(nested.values.size()),
              "tensor: expected lists of equal depth, given others");
  const Tensor result = Tensor::from(nested.values, nested.shape);
  const bool is_floating = dtype && *dtype != DType::i32 && *dtype != DType::int8;
  if (is_floating) return result.to(*dtype);
  const bool is_whole = nested.is_whole && !nested.values.empty();
  if (!is_whole && dtype != DType::i32) return result.to(DType::f32);
  for (const double number : nested.values) {  // without its fraction; NaN does not fit
    KETTE_CHECK(number > -2147483649.0 && number < 2147483648.0,
                "tensor: expected whole numbers of 32 bits, given ", number);
  }
  return result.to(DType::i32);
}

}  // namespace kette::python
