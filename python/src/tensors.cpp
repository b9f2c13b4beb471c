// kette.Tensor: a Variable of C++, which is a tensor and perhaps its place on a tape.
#include <cstdint>

#include "autograd/ops/elementwise.h"
#include "autograd/ops/matmul.h"
#include "autograd/ops/reduce.h"
#include "autograd/ops/shaping.h"
#include "autograd/tape.h"
#include "autograd/variable.h"
#include "python/src/bindings.h"
#include "tensor/shortest.h"
#include "tensor/suggestion.h"

namespace kette::python {
namespace {

constexpr std::int64_t kShown = 6;  // elements of an axis, in repr()

/// The shortest text that is the number in this type: 0.1 of f32 is not that of f64.
std::string element(double value, DType dtype) {
  if (dtype == DType::i32) return std::to_string(static_cast<std::int64_t>(value));
  return dtype == DType::f64 ? shortest(value) : shortest_f32(static_cast<float>(value));
}

/// Nested lists as NumPy prints them; the middle of a long axis is left out.
std::string listed(const std::vector<double>& values, const Shape& shape, DType dtype, int axis,
                   std::int64_t begin, std::int64_t count) {
  if (axis == shape.rank()) return element(values[begin], dtype);
  const std::int64_t each = shape[axis] == 0 ? 0 : count / shape[axis];
  std::string text = "[";
  for (std::int64_t i = 0; i < shape[axis]; ++i) {
    const bool is_inner = axis + 1 < shape.rank();
    if (i > 0) text += is_inner ? ",\n" + std::string(axis + 1, ' ') : ", ";
    if (shape[axis] > kShown && i == kShown / 2) {
      text += "...";
      i = shape[axis] - kShown / 2 - 1;
      continue;
    }
    text += listed(values, shape, dtype, axis + 1, begin + i * each, each);
  }
  return text + "]";
}

std::string repr(const Variable& x) {
  const Tensor& value = x.value();
  if (!value.defined()) return "Tensor(undefined)";
  std::string text = x.leaf() ? "parameter " + x.leaf()->name + ": " : "";
  text = "Tensor(" + text + value.str() + ")";
  if (value.dtype() == DType::int8 || value.elements() > std::int64_t{1} << 24) return text;
  return text + "\n" +
         listed(value.values<double>(), value.shape(), value.dtype(), 0, 0, value.elements());
}

Variable full_like(const Variable& x, double value) {
  return Tensor::full(Shape{}, value, x.value().dtype(), x.value().device());
}

enum class Axis : std::uint8_t { sum, mean };

/// Of one axis, or of all.
Variable reduced(const Variable& x, const std::optional<int>& axis, bool keepdims, Axis how) {
  if (!axis) return how == Axis::sum ? sum(x) : mean(x);
  const int rank = x.shape().rank();
  if (*axis < -rank || *axis >= rank)
    throw nb::index_error(
        ("expected an axis of " + x.shape().str() + ", given " + std::to_string(*axis)).c_str());
  const int at = *axis < 0 ? *axis + rank : *axis;
  Variable result = sum_to(x, x.shape().with(at, 1));
  if (how == Axis::mean) result = mean_of_sum(result, x.shape()[at]);
  if (keepdims) return result;
  Shape shape;
  for (int i = 0; i < rank; ++i) {
    if (i != at) shape.push_back(x.shape()[i]);
  }
  return reshape(result, shape);
}

/// A row, or rows [begin, end), of the outermost axis.
Variable item_at(const Variable& x, const nb::object& index) {
  const Shape& shape = x.shape();
  if (shape.rank() == 0) throw nb::index_error("expected a tensor with an axis, given a scalar");
  const std::int64_t count = shape[0];
  if (nb::isinstance<nb::slice>(index)) {
    const auto [begin, end, step, length] =
        nb::cast<nb::slice>(index).compute(static_cast<std::size_t>(count));
    if (step != 1)
      throw nb::index_error("expected a slice of step 1, given another (index x.numpy() for more)");
    return slice(x, begin, begin + static_cast<std::int64_t>(length));
  }
  if (!PyIndex_Check(index.ptr()) || PyBool_Check(index.ptr())) {
    throw nb::type_error(
        "expected a whole number or a slice of the outermost axis, given another index (index x.numpy() for more)");
  }
  const Py_ssize_t number = PyNumber_AsSsize_t(index.ptr(), PyExc_IndexError);
  if (PyErr_Occurred() != nullptr) throw nb::python_error();
  const std::int64_t row = number < 0 ? number + count : number;
  if (row < 0 || row >= count)
    throw nb::index_error(
        ("expected an index below " + std::to_string(count) + ", given " + std::to_string(number))
            .c_str());
  Shape inner;
  for (int axis = 1; axis < shape.rank(); ++axis) inner.push_back(shape[axis]);
  return reshape(slice(x, row, row + 1), inner);
}

Variable power(const Variable& x, double exponent) {
  if (exponent == 2) return square(x);
  if (exponent == 0.5) return sqrt(x);
  if (exponent == 1) return x;
  if (exponent == -1) return full_like(x, 1) / x;
  fail("**: expected an exponent of 2, 1, 0.5 or -1, given ", exponent,
       " (exp and log make others)");
}

using Binary = Variable (*)(const Variable&, const Variable&);

/// x + y and y + x, of tensors, arrays and numbers.
void bind_operator(nb::class_<Variable>& c, const char* name, const char* reversed, Binary apply) {
  const auto operated = [apply](const Variable& a, const Variable& b) {
    const GilRelease release;
    return apply(a, b);
  };
  c.def(
      name,
      [operated](const Variable& x, const nb::object& y) { return operated(x, as_operand(y, x)); },
      nb::is_operator());
  c.def(
      reversed,
      [operated](const Variable& x, const nb::object& y) { return operated(as_operand(y, x), x); },
      nb::is_operator());
}

/// Python would compare identities, and x == 0 would be False whatever is in x.
nb::object compared(const Variable& /*x*/, nb::handle other) {
  const bool has_numbers =
      PyNumber_Check(other.ptr()) != 0 ||
      (PySequence_Check(other.ptr()) != 0 && PyUnicode_Check(other.ptr()) == 0);
  if (!has_numbers) return nb::not_implemented();  // None, or a text: another thing
  throw nb::type_error(
      "==: expected arrays to compare, given a Tensor (x.numpy() == y compares the elements; `is` tells whether it is the same object)");
}

Variable converted(const Variable& x, const std::string& to) {
  const bool is_device = to == "cpu" || to.starts_with("cuda");
  const Tensor& value = x.value();
  const Tensor result = is_device ? value.to(parse_device(to)) : value.to(dtype_named(to));
  if (result.dtype() == value.dtype() && result.device() == value.device()) return x;
  const std::string call = "to(\"" + to + "\")";
  check_is_constant(x, call, "x.detach()." + call);
  return result;
}

std::int64_t length(const Variable& x) {
  if (x.shape().rank() == 0) throw nb::type_error("expected a tensor with an axis, given a scalar");
  return x.shape()[0];
}

}  // namespace

void check_is_constant(const Variable& x, const std::string& call, const std::string& instead) {
  KETTE_CHECK(
      Tape::tracking(x) == nullptr && !x.has_tangent(), call,
      ": expected a constant, given a tensor that a tape tracks or that has a tangent, as no "
      "derivative passes through it (",
      instead, " takes it as a constant)");
}

DType dtype_named(const std::string& name) {
  static const std::vector<std::pair<std::string, DType>> known = {
      {"f32", DType::f32},     {"f64", DType::f64},       {"bf16", DType::bf16},
      {"i32", DType::i32},     {"int8", DType::int8},     {"float32", DType::f32},
      {"float64", DType::f64}, {"bfloat16", DType::bf16}, {"int32", DType::i32}};
  for (const auto& [text, dtype] : known) {
    if (text == name) return dtype;
  }
  fail("dtype: expected f32, f64, bf16, i32 or int8, given ", name);
}

DType dtype_of_parameters(const std::string& name) {
  const DType dtype = dtype_named(name);
  KETTE_CHECK(dtype == DType::f32 || dtype == DType::f64,
              "dtype: expected f32 or f64 for parameters, given ", name);
  return dtype;
}

Variable as_operand(const nb::object& value, const Variable& other) {
  if (nb::isinstance<Variable>(value)) return nb::cast<const Variable&>(value);
  if (is_number(value)) {
    const double number = PyFloat_AsDouble(value.ptr());
    if (PyErr_Occurred() != nullptr) throw nb::python_error();
    return full_like(other, number);
  }
  return as_tensor(value).value().to(other.value().device());
}

void bind_tensors(nb::module_& m) {
  nb::class_<Variable> c(
      m, "Tensor",
      "A dense row-major array of f32, f64, bf16, i32 or int8 on a device, and perhaps its place on a Tape. "
      "Up to six axes. Operators broadcast as NumPy's.");
  c.def_prop_ro(
       "shape", [](const Variable& x) { return x.shape(); }, "The extents, outermost first.")
      .def_prop_ro(
          "dtype", [](const Variable& x) { return std::string(name_of(x.value().dtype())); },
          "\"f32\", \"f64\", \"bf16\", \"i32\" or \"int8\".")
      .def_prop_ro(
          "device", [](const Variable& x) { return x.value().device().str(); },
          "\"cpu\" or \"cuda:0\".")
      .def_prop_ro(
          "ndim", [](const Variable& x) { return x.shape().rank(); }, "The number of axes.")
      .def_prop_ro(
          "size", [](const Variable& x) { return x.value().elements(); }, "The number of elements.")
      .def_prop_ro(
          "nbytes", [](const Variable& x) { return x.value().bytes(); }, "The size in bytes.")
      .def_prop_ro(
          "name", [](const Variable& x) { return x.leaf() ? x.leaf()->name : std::string(); },
          "The name of a parameter; \"\" of other tensors.")
      .def_prop_ro(
          "is_parameter", [](const Variable& x) { return x.leaf() != nullptr; },
          "Whether it is a parameter: every tape tracks it, and backward() adds to its grad.")
      .def_prop_rw(
          "frozen", [](const Variable& x) { return x.leaf() && x.leaf()->frozen; },
          [](const Variable& x, bool frozen) {
            KETTE_CHECK(x.leaf() != nullptr, "frozen: expected a parameter, given another tensor");
            x.leaf()->frozen = frozen;
          },
          "Whether a parameter is a constant for every tape, so that its grad stays as it is.")
      .def_prop_ro(
          "grad",
          [](const Variable& x) -> std::optional<Variable> {
            if (!x.leaf() || !x.leaf()->gradient.defined()) return {};
            x.leaf()->lent = true;  // whoever has it may write to it, now and after a step
            x.leaf()->cleared = false;
            return Variable(x.leaf()->gradient);
          },
          "The sum of a parameter's gradients so far, a Tensor that shares their memory. None for other tensors (Tape.gradient() has theirs).")
      .def(
          "zero_grad",
          [](const Variable& x) {
            KETTE_CHECK(x.leaf() != nullptr,
                        "zero_grad: expected a parameter, given another tensor");
            if (x.leaf()->gradient.defined()) x.leaf()->gradient.zero();
          },
          "Sets the grad of a parameter to zero.")
      .def(
          "item", [](const Variable& x) { return x.value().item(); },
          "The element of a tensor that has only one, as a float.")
      .def(
          "tolist", [](const Variable& x) { return nb::cast(x).attr("numpy")().attr("tolist")(); },
          "Nested lists of numbers (needs NumPy).")
      .def(
          "detach", [](const Variable& x) { return Variable(x.value()); },
          "The same memory as a constant, which no tape tracks.")
      .def(
          "clone",
          [](const Variable& x) {
            check_is_constant(x, "clone()", "x.detach().clone()");
            return Variable(x.value().clone());
          },
          without_gil(),
          "A copy, as a constant. An Error for what the current tape tracks: x.detach().clone().")
      .def(
          "to", &converted, "to"_a, without_gil(),
          "Converted to a dtype, or copied to a device: x.to(\"f64\"), x.to(\"cuda\"). A constant, which is an Error for what the current tape tracks: x.detach().to(...). The tensor itself if nothing changes.")
      .def(
          "copy_from",
          [](const Variable& x, const nb::object& other) {
            const Tensor source = as_tensor(other).value().to(x.value().dtype());
            const GilRelease release;
            x.value().copy_from(source);
          },
          "other"_a,
          "Overwrites the values by those of a tensor or array of the same shape, for all that share the memory.")
      .def(
          "reshape", [](const Variable& x, const Shape& shape) { return reshape(x, shape); },
          "shape"_a, without_gil(), "The same elements under another shape.")
      .def(
          "transpose", [](const Variable& x) { return transpose(x); }, without_gil(),
          "Exchanges the last two axes: [..., m, n] -> [..., n, m].")
      .def_prop_ro(
          "T", [](const Variable& x) { return transpose(x); }, without_gil(), "transpose().")
      .def(
          "sum",
          [](const Variable& x, std::optional<int> axis, bool keepdims) {
            return reduced(x, axis, keepdims, Axis::sum);
          },
          "axis"_a = nb::none(), "keepdims"_a = false, without_gil(),
          "The sum over an axis; without one, over all elements, a scalar.")
      .def(
          "mean",
          [](const Variable& x, std::optional<int> axis, bool keepdims) {
            return reduced(x, axis, keepdims, Axis::mean);
          },
          "axis"_a = nb::none(), "keepdims"_a = false, without_gil(),
          "The mean over an axis; without one, over all elements, a scalar.")
      .def("__getitem__", &item_at, "index"_a)
      .def("__len__", &length)
      .def("__float__", [](const Variable& x) { return x.value().item(); })
      .def("__int__",
           [](const Variable& x) {  // as of a float: of any size, and an exception for NaN
             PyObject* whole = PyLong_FromDouble(x.value().item());
             if (whole == nullptr) throw nb::python_error();
             return nb::steal<nb::int_>(whole);
           })
      .def("__bool__", [](const Variable& x) { return x.value().item() != 0; })
      .def(
          "__neg__", [](const Variable& x) { return affine(x, -1); }, without_gil())
      .def("__pow__", &power, without_gil())
      .def("__eq__", &compared, nb::is_operator(),
           nb::sig("def __eq__(self, other: object, /) -> bool"))
      // By identity, as without __eq__; a type checker takes a class that has only that for unhashable.
      .def("__hash__", [](nb::handle x) { return reinterpret_cast<std::uintptr_t>(x.ptr()) >> 4; })
      .def("__repr__", &repr);
  bind_operator(c, "__add__", "__radd__",
                [](const Variable& a, const Variable& b) { return a + b; });
  bind_operator(c, "__sub__", "__rsub__",
                [](const Variable& a, const Variable& b) { return a - b; });
  bind_operator(c, "__mul__", "__rmul__",
                [](const Variable& a, const Variable& b) { return a * b; });
  bind_operator(c, "__truediv__", "__rtruediv__",
                [](const Variable& a, const Variable& b) { return a / b; });
  bind_operator(c, "__matmul__", "__rmatmul__",
                [](const Variable& a, const Variable& b) { return matmul(a, b); });
  bind_exchange(c, m);

  m.def(
      "tensor",
      [](const nb::object& values, const std::optional<std::string>& dtype,
         const std::string& device) {
        const Variable x = as_tensor(values, dtype);
        const Tensor copy = nb::isinstance<Variable>(values) ? x.value().clone() : x.value();
        return Variable(copy.to(parse_device(device)));
      },
      "values"_a, "dtype"_a = nb::none(), "device"_a = "cpu",
      "A new tensor with a copy of the values, a constant: of an array (any strides), a number, or nested lists. Without a dtype f64 and f32 stay what they are, "
      "f16 becomes f32, whole numbers become i32 (an Error if one does not fit), and lists of floats become f32.");
  m.def(
      "zeros",
      [](const Shape& shape, const std::string& dtype, const std::string& device) {
        return Variable(Tensor::zeros(shape, dtype_named(dtype), parse_device(device)));
      },
      "shape"_a, "dtype"_a = "f32", "device"_a = "cpu", "A tensor of zeros.");
  m.def(
      "full",
      [](const Shape& shape, double value, const std::string& dtype, const std::string& device) {
        return Variable(Tensor::full(shape, value, dtype_named(dtype), parse_device(device)));
      },
      "shape"_a, "value"_a, "dtype"_a = "f32", "device"_a = "cpu",
      "A tensor with every element the same.");
  m.def(
      "parameter",
      [](const nb::object& values, const std::string& name,
         const std::optional<std::string>& dtype) {
        const Variable x = as_tensor(values, dtype);
        KETTE_CHECK(x.value().dtype() != DType::i32 && x.value().dtype() != DType::int8,
                    "parameter: expected a floating dtype (f32, f64, bf16), given ",
                    name_of(x.value().dtype()));
        return parameter(nb::isinstance<Variable>(values) ? x.value().clone() : x.value(), name);
      },
      "values"_a, "name"_a = "parameter", "dtype"_a = nb::none(),
      "A parameter with a copy of the values, and a gradient of zeros: every Tape tracks it, and backward() adds to its grad (f32 for bf16).");
}

}  // namespace kette::python
