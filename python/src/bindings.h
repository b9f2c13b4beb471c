// What the files of the module share. Each file adds its part by one bind_...() function.
//
// The rules of the module: what computes releases the GIL (without_gil), and Python objects are touched only with it
// held. Memory of Python objects is kept by kept(), and released with the GIL. An invalid argument is an exception with
// the text of the C++ Error, and never ends the process.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <string>
#include <vector>

#include "autograd/variable.h"
#include "python/src/gil.h"

namespace kette {
class Tape;
}

namespace kette::python {

namespace nb = nanobind;
using namespace nanobind::literals;

void bind_errors(nb::module_& m);
void bind_tensors(nb::module_& m);
void bind_exchange(nb::class_<Variable>& tensor, nb::module_& m);
void bind_tapes(nb::module_& m);
void bind_drawings(nb::module_& m);
void bind_commands(nb::module_& m);
void bind_metrics(nb::module_& m);
void bind_ops(nb::module_& m);
void bind_row_ops(nb::module_& m);
void bind_attention_ops(nb::module_& m);
void bind_own_ops(nb::module_& m);
void bind_checks(nb::module_& m);
void bind_layers(nb::module_& m);

/// For the garbage collector: visits the ops written in Python that are on a tape.
int visit_ops_on(const Tape& tape, visitproc visit, void* arg);
void bind_tokenizers(nb::module_& m);
void bind_corpora(nb::module_& m);
void bind_models(nb::module_& m);
void bind_training(nb::module_& m);

/// Of a function that computes.
using without_gil =  // NOLINT(readability-identifier-naming): named like nanobind's own
    nb::call_guard<GilRelease>;

/// For the garbage collector, of a class that holds Python objects, which may refer back to its own: a cycle. Self has
/// traverse(visit, arg) and clear().
template <class Self>
nb::type_slots collected() {
  static PyType_Slot slots[] = {
      {Py_tp_traverse, reinterpret_cast<void*>(+[](PyObject* self, visitproc visit, void* arg) {
         Py_VISIT(Py_TYPE(self));
         return nb::inst_ready(self) ? nb::inst_ptr<Self>(self)->traverse(visit, arg) : 0;
       })},
      {Py_tp_clear, reinterpret_cast<void*>(+[](PyObject* self) {
         if (nb::inst_ready(self)) nb::inst_ptr<Self>(self)->clear();
         return 0;
       })},
      {0, nullptr}};
  return nb::type_slots(slots);
}

/// Keeps a Python object alive. The last copy releases it, on any thread.
std::shared_ptr<void> kept(nb::object object);

/// A tensor of any value that has one: a Tensor, an array (copied), a number, or nested lists of numbers.
Variable as_tensor(const nb::object& value, const std::optional<std::string>& dtype = {});
/// The same for an operand of `other`: a number gets its dtype, and its device.
Variable as_operand(const nb::object& value, const Variable& other);
/// None: an undefined one.
inline Variable or_none(const std::optional<Variable>& value) { return value.value_or(Variable()); }

/// An Error if a tape tracks it or it has a tangent, where `call` would cut off the derivative without a word. instead:
/// the expression that takes it as a constant.
void check_is_constant(const Variable& x, const std::string& call, const std::string& instead);

/// "f32", "f64", "bf16", "i32" or "int8", or NumPy's name of one. Another text is an Error.
DType dtype_named(const std::string& name);
/// The same for parameters: an Error for other types than f32 and f64. (Those of bf16 are rounded copies, which the next
/// step would write over.)
DType dtype_of_parameters(const std::string& name);

/// The name of a value's type, for error texts.
inline std::string type_of(nb::handle value) { return nb::type_name(value.type()).c_str(); }
/// Whether it is a float or an int of Python.
inline bool is_number(nb::handle value) {
  return PyFloat_Check(value.ptr()) || PyLong_Check(value.ptr());
}
/// Whether a name fits a pattern as of fnmatch; * also matches /.
bool matches(const std::string& pattern, const std::string& name);

/// The error for a name that is none of the known ones: KeyError, with the nearest.
[[noreturn]] void throw_unknown(const std::string& what, const std::string& name,
                                const std::vector<std::string>& known);

}  // namespace kette::python

namespace nanobind::detail {

/// A Shape is a tuple of ints in Python; any sequence of ints is taken.
template <>
struct type_caster<kette::Shape> {
  NB_TYPE_CASTER(kette::Shape, const_name("tuple[int, ...]"))

  bool from_python(handle source, std::uint32_t, cleanup_list*) noexcept {
    if (!PySequence_Check(source.ptr()) || PyUnicode_Check(source.ptr()) ||
        PyBytes_Check(source.ptr()))
      return false;
    const Py_ssize_t rank = PySequence_Size(source.ptr());
    if (rank < 0 || rank > kette::Shape::kMaxRank) {
      PyErr_Clear();
      return false;
    }
    value = {};
    for (Py_ssize_t axis = 0; axis < rank; ++axis) {
      const object extent = steal(PySequence_GetItem(source.ptr(), axis));
      const object index = extent.is_valid() ? steal(PyNumber_Index(extent.ptr())) : object();
      const long long number = index.is_valid() ? PyLong_AsLongLong(index.ptr()) : -1;
      if (PyErr_Occurred() != nullptr || number < 0) {
        PyErr_Clear();
        return false;
      }
      try {
        value.push_back(number);
      } catch (const kette::Error&) {
        return false;
      }
    }
    return true;
  }

  static handle from_cpp(const kette::Shape& shape, rv_policy, cleanup_list*) noexcept {
    object result = steal(PyTuple_New(shape.rank()));
    if (!result.is_valid()) return {};
    for (int axis = 0; axis < shape.rank(); ++axis) {
      PyObject* extent = PyLong_FromLongLong(shape[axis]);
      if (extent == nullptr) return {};
      PyTuple_SetItem(result.ptr(), axis, extent);
    }
    return result.release();
  }
};

}  // namespace nanobind::detail
