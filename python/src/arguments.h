// Arguments of the ops in plain Python: arrays, numbers and lists for tensors, lengths for Segments, a rate and a seed
// for DropoutMask.
#pragma once

#include <string>
#include <vector>

#include "autograd/ops/options.h"
#include "python/src/bindings.h"
#include "tensor/elementwise.h"
#include "tensor/segments.h"

namespace kette::python {

/// What tensor() takes: a Tensor, an array, a number, nested lists.
struct ArrayLike {
  nb::object given;
};

/// Of an op in floating point: whole numbers of Python and lists of them are f32.
Variable operand(const ArrayLike& value);
/// The same beside `other`: numbers and lists get its dtype, and its device.
Variable operand(const ArrayLike& value, const Variable& other);
/// None: an undefined one.
Variable operand(const std::optional<ArrayLike>& value, const Variable& other);
/// Either may be a number.
std::pair<Variable, Variable> operands(const ArrayLike& a, const ArrayLike& b);

using Lengths = std::optional<std::vector<std::int64_t>>;
/// None: one sequence of all rows.
Segments segments_of(const Lengths& lengths, const Variable& rows);
/// i32 ids or positions: a Tensor, an array, a list of whole numbers.
Tensor ids_of(const char* op, const ArrayLike& ids);
/// The given positions, or those within sequences of these lengths.
Tensor positions_of(const char* op, const std::optional<ArrayLike>& positions,
                    const Lengths& lengths, const Variable& rows);
Activation activation_named(const std::string& name);
DropoutMask mask_of(double rate, std::uint64_t seed);

/// What the table of ops says of it.
std::string docstring_of_op(const std::string& name);
/// Adds an op of the table.
template <class Function, class... Extra>
void def_op(nb::module_& m, const char* name, Function&& function, const Extra&... extra) {
  m.def(name, std::forward<Function>(function), extra..., docstring_of_op(name).c_str());
}
/// Computes with the GIL released.
template <class Function>
auto computed(const Function& function) {
  const GilRelease release;
  return function();
}

}  // namespace kette::python

namespace nanobind::detail {

template <>
struct type_caster<kette::python::ArrayLike> {
  NB_TYPE_CASTER(kette::python::ArrayLike,
                 const_name("kette._kette.Tensor | numpy.typing.ArrayLike"))

  bool from_python(handle source, std::uint32_t, cleanup_list*) noexcept {
    if (source.is_none()) return false;
    value.given = borrow(source);
    return true;
  }
};

}  // namespace nanobind::detail
