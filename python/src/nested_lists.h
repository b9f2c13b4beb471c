// Tensors of numbers and nested lists of Python.
#pragma once

#include <optional>

#include "python/src/bindings.h"
#include "tensor/tensor.h"

namespace kette::python {

/// A number, or lists of equal length of numbers. Without a dtype f32, or i32 of whole numbers alone. For i32 fractions
/// are cut off, and a number that does not fit is an Error.
Tensor from_lists(const nb::object& value, std::optional<DType> dtype);

}  // namespace kette::python
