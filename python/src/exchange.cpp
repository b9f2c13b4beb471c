// Tensors from and to other libraries: shared by DLPack, or copied from arrays, numbers and lists.
#include <nanobind/ndarray.h>

#include <cstring>
#include <exception>
#include <limits>
#include <memory>
#include <utility>

#include "autograd/ops/elementwise.h"
#include "python/src/bindings.h"
#include "python/src/nested_lists.h"
#include "python/src/tokenizers.h"
#include "tensor/backend.h"
#include "tensor/half.h"
#include "tensor/tensor.h"

namespace kette::python {
namespace {

using Array = nb::ndarray<nb::ro>;

constexpr int kCpu = nb::device::cpu::value, kCuda = nb::device::cuda::value;

nb::dlpack::dtype dlpack_type(DType dtype) {
  using Code = nb::dlpack::dtype_code;
  const auto code = dtype == DType::bf16                          ? Code::Bfloat
                    : dtype == DType::i32 || dtype == DType::int8 ? Code::Int
                                                                  : Code::Float;
  return {static_cast<std::uint8_t>(code), static_cast<std::uint8_t>(8 * size_of(dtype)), 1};
}

/// The dtype with the same bits.
std::optional<DType> same_type(const nb::dlpack::dtype& type) {
  for (const DType dtype : {DType::f32, DType::f64, DType::bf16, DType::i32, DType::int8}) {
    if (type == dlpack_type(dtype)) return dtype;
  }
  return {};
}

std::string name_of(const nb::dlpack::dtype& type) {
  static constexpr const char* kNames[] = {"int",    "uint",    "float", "opaque",
                                           "bfloat", "complex", "bool"};
  const std::string name = type.code < std::size(kNames) ? kNames[type.code] : "dtype";
  return type.code == 6 ? name : name + std::to_string(type.bits);
}

template <class AnyArray>
Shape shape_of(const AnyArray& array) {
  KETTE_CHECK(array.ndim() <= Shape::kMaxRank, "tensor: expected at most ", Shape::kMaxRank,
              " axes, given ", array.ndim());
  Shape shape;
  for (std::size_t axis = 0; axis < array.ndim(); ++axis)
    shape.push_back(static_cast<std::int64_t>(array.shape(axis)));
  return shape;
}

template <class AnyArray>
Device device_of(const AnyArray& array) {
  if (array.device_type() == kCpu) return {};
  KETTE_CHECK(
      array.device_type() == kCuda,
      "tensor: expected memory of the CPU or of a CUDA device, given a device of DLPack's type ",
      array.device_type());
  return parse_device("cuda:" + std::to_string(array.device_id()));
}

template <class AnyArray>
bool is_dense(const AnyArray& array, const Shape& shape) {
  if (shape.elements() == 0) return true;
  std::int64_t expected = 1;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    if (shape[axis] != 1 && array.stride(axis) != expected) return false;
    expected *= shape[axis];
  }
  return true;
}

/// Copies elements of one size, dense, from any strides.
void gather(const char* from, char* to, std::size_t size, const Array& array, const Shape& shape,
            int axis = 0) {
  if (axis == shape.rank()) {
    std::memcpy(to, from, size);
    return;
  }
  std::size_t inner = size;
  for (int after = axis + 1; after < shape.rank(); ++after)
    inner *= static_cast<std::size_t>(shape[after]);
  for (std::int64_t i = 0; i < shape[axis]; ++i) {
    gather(from + i * array.stride(axis) * static_cast<std::int64_t>(size),
           to + static_cast<std::size_t>(i) * inner, size, array, shape, axis + 1);
  }
}

/// Copies the array's elements, in host memory, to dense ones.
void copy_dense(const Array& array, const Shape& shape, void* to) {
  const std::size_t size = array.dtype().bits / 8;
  if (shape.elements() == 0) return;
  const auto* data = static_cast<const char*>(array.data());
  if (is_dense(array, shape)) {
    std::memcpy(to, data, static_cast<std::size_t>(shape.elements()) * size);
  } else {
    gather(data, static_cast<char*>(to), size, array, shape);
  }
}

template <class From>
Tensor to_i32(const std::vector<char>& bytes, const Shape& shape) {
  std::vector<std::int32_t> values(static_cast<std::size_t>(shape.elements()));
  for (std::size_t i = 0; i < values.size(); ++i) {
    From value{};
    std::memcpy(&value, bytes.data() + i * sizeof value, sizeof value);
    KETTE_CHECK(std::in_range<std::int32_t>(value),
                "tensor: expected whole numbers of 32 bits, given ", value,
                " (kette has i32 alone; pass floating point for larger numbers)");
    values[i] = static_cast<std::int32_t>(value);
  }
  return Tensor::from(values, shape);
}

Tensor half_to_f32(const std::vector<char>& bytes, const Shape& shape) {
  std::vector<float> values(static_cast<std::size_t>(shape.elements()));
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::uint16_t half = 0;
    std::memcpy(&half, bytes.data() + 2 * i, sizeof half);
    values[i] = float_of_half(half);
  }
  return Tensor::from(values, shape);
}

/// Waits until nothing uses the device's memory. Each library queues its work on streams of its own, and none waits for
/// those of another.
void await(Device device) {
  if (!device.runs_ahead()) return;
  const GilRelease release;
  backend(device).synchronize_device();
}

/// Keeps one library's memory for another, whose kernels may still use it when that gives it back.
template <class Memory>
nb::capsule owner_of(Memory memory, Device device) {
  struct Holder {
    Memory memory;
    Device device;
  };
  auto holder = std::make_unique<Holder>(Holder{std::move(memory), device});
  const nb::capsule owner(holder.get(), [](void* it) noexcept {
    const std::unique_ptr<Holder> held(static_cast<Holder*>(it));
    try {
      await(held->device);
    } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): the next call fails, too
    }
  });
  static_cast<void>(holder.release());  // the capsule's now
  return owner;
}

/// A copy in the dtype that has all of the array's values: f16 -> f32, whole numbers and truth values -> i32.
Tensor copied(const Array& array) {
  const Shape shape = shape_of(array);
  const nb::dlpack::dtype type = array.dtype();
  const Device device = device_of(array);
  if (!device.is_host()) {
    const auto dtype = same_type(type);
    KETTE_CHECK(
        dtype && is_dense(array, shape),
        "tensor: expected a dense array of f32, f64, bf16, i32 or int8 in memory of a GPU, given ",
        name_of(type), " or another layout");
    const auto none = std::make_shared<int>(0);  // lives on in the caller
    await(device);
    Tensor copy =
        Tensor::over(const_cast<void*>(array.data()), shape, *dtype, device, none).clone();
    await(device);  // the caller may write to the array, or free it
    return copy;
  }
  const bool is_known = type.lanes == 1 && type.bits % 8 == 0 && type.bits <= 64;
  if (is_known) {
    if (const auto dtype = same_type(type)) {
      const Tensor result = Tensor::empty(shape, *dtype);
      copy_dense(array, shape, result.raw());
      return result;
    }
    std::vector<char> bytes(static_cast<std::size_t>(shape.elements()) * (type.bits / 8));
    copy_dense(array, shape, bytes.data());
    const auto is = [&](nb::dlpack::dtype_code code, int bits) {
      return type.code == static_cast<std::uint8_t>(code) && type.bits == bits;
    };
    using Code = nb::dlpack::dtype_code;
    if (is(Code::Float, 16)) return half_to_f32(bytes, shape);
    if (is(Code::Int, 16)) return to_i32<std::int16_t>(bytes, shape);
    if (is(Code::Int, 64)) return to_i32<std::int64_t>(bytes, shape);
    if (is(Code::UInt, 8) || is(Code::Bool, 8)) return to_i32<std::uint8_t>(bytes, shape);
    if (is(Code::UInt, 16)) return to_i32<std::uint16_t>(bytes, shape);
    if (is(Code::UInt, 32)) return to_i32<std::uint32_t>(bytes, shape);
    if (is(Code::UInt, 64)) return to_i32<std::uint64_t>(bytes, shape);
  }
  fail(
      "tensor: expected real numbers (floating point of 16, 32 or 64 bits, whole numbers, bool), given ",
      name_of(type));
}

/// Whether the object lends memory without the strides that nanobind asks for, and reads: NumPy's scalars of dates.
bool lacks_strides(const nb::object& value) {
  if (!PyObject_CheckBuffer(value.ptr())) return false;
  Py_buffer view;
  if (PyObject_GetBuffer(value.ptr(), &view, PyBUF_RECORDS_RO) != 0) {
    PyErr_Clear();
    return false;
  }
  const bool lacks = view.ndim > 0 && (view.shape == nullptr || view.strides == nullptr);
  PyBuffer_Release(&view);
  return lacks;
}

/// Of a tensor of PyTorch another one of the same storage: x.data = y or x.set_(y) would free what x alone has lent.
nb::object lender_of(const nb::object& given) {
  const nb::object module = nb::getattr(given.type(), "__module__", nb::none());
  const bool is_torch = nb::isinstance<nb::str>(module) && bytes_of(module).starts_with("torch");
  return is_torch && nb::hasattr(given, "detach") ? given.attr("detach")() : given;
}

/// Shares the memory of an object that has __dlpack__ or a buffer.
Variable from_dlpack(const nb::object& given) {
  const nb::object object = lender_of(given);
  nb::ndarray<> array;
  const bool is_odd = lacks_strides(object);
  if (is_odd || !nb::try_cast(object, array, false)) {
    if (nb::ndarray<nb::ro> read_only; !is_odd && nb::try_cast(object, read_only, false)) {
      fail(
          "from_dlpack: expected memory that may be written, given read-only memory (kt.tensor copies it)");
    }
    throw nb::type_error(
        ("from_dlpack: expected an object with __dlpack__ or a buffer, given " + type_of(object))
            .c_str());
  }
  const auto dtype = same_type(array.dtype());
  KETTE_CHECK(dtype.has_value(), "from_dlpack: expected f32, f64, bf16, i32 or int8, given ",
              name_of(array.dtype()), " (kt.tensor converts a copy)");
  const Shape shape = shape_of(array);
  KETTE_CHECK(is_dense(array, shape),
              "from_dlpack: expected a dense row-major array, given strides (kt.tensor copies it)");
  const Device device = device_of(array);
  void* const data = array.data();
  await(device);
  // It holds the buffer itself: of an object alone a bytearray could change its size.
  return Tensor::over(data, shape, *dtype, device, kept(owner_of(std::move(array), device)));
}

/// The tensor as an array of a library, of the given type or its own. Its memory lives as long as the array.
template <class... Library>
nb::ndarray<Library...> shared(const Tensor& tensor, std::optional<nb::dlpack::dtype> type = {}) {
  std::vector<std::size_t> shape;
  for (int axis = 0; axis < tensor.shape().rank(); ++axis)
    shape.push_back(static_cast<std::size_t>(tensor.shape()[axis]));
  const Device device = tensor.device();
  const nb::capsule owner = owner_of(tensor, device);
  return nb::ndarray<Library...>(tensor.elements() > 0 ? tensor.raw() : nullptr, shape.size(),
                                 shape.data(), owner, nullptr,
                                 type.value_or(dlpack_type(tensor.dtype())),
                                 device.is_host() ? kCpu : kCuda, device.index, 'C');
}

const Tensor& lent(const Variable& x) {
  KETTE_CHECK(x.value().defined(), "tensor: expected one with values, given one without");
  return x.value();
}

bool is_true(const nb::object& option) { return PyObject_IsTrue(option.ptr()) == 1; }

nb::object numpy(const Variable& x) {
  const Tensor& tensor = lent(x);
  KETTE_CHECK(tensor.device().is_host(), "numpy: expected a tensor on the CPU, given ",
              tensor.str(), " (x.to(\"cpu\").numpy() copies it)");
  if (tensor.dtype() != DType::bf16) return nb::cast(shared<nb::numpy>(tensor));
  try {
    const nb::object type = nb::module_::import_("ml_dtypes").attr("bfloat16");
    return nb::cast(shared<nb::numpy>(tensor, nb::dtype<std::uint16_t>())).attr("view")(type);
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_ImportError)) throw;
    fail(
        "numpy: expected a dtype that NumPy has, given bf16 (x.to(\"f32\").numpy(), or install ml_dtypes)");
  }
}

}  // namespace

std::shared_ptr<void> kept(nb::object object) {
  return {object.release().ptr(), [](PyObject* it) {
            if (!nb::is_alive()) return;  // the interpreter has ended
            const GilAcquire gil;
            Py_DECREF(it);
          }};
}

Variable as_tensor(const nb::object& value, const std::optional<std::string>& dtype) {
  const auto to = dtype ? std::optional(dtype_named(*dtype)) : std::nullopt;
  Tensor result;
  if (nb::isinstance<Variable>(value)) {
    const Variable& x = nb::cast<const Variable&>(value);
    if (!to) return x;
    result = x.value();
  } else if (Array array; !PyList_Check(value.ptr()) && !PyTuple_Check(value.ptr()) &&
                          !lacks_strides(value) && nb::try_cast(value, array, false)) {
    result = copied(array);
  } else if (nb::hasattr(value, "__dlpack__") || nb::hasattr(value, "__array_interface__")) {
    throw nb::type_error(
        ("tensor: expected an array of numbers in row-major or strided memory, given a " +
         type_of(value) + " of another kind")
            .c_str());
  } else {
    result = from_lists(value, to);
  }
  return to ? result.to(*to) : result;
}

void bind_exchange(nb::class_<Variable>& tensor, nb::module_& m) {
  tensor
      .def(
          "numpy", &numpy,
          "The values as a NumPy array that shares memory: what is written to one is seen in the other. A GPU's tensor, and bf16 without ml_dtypes, is an Error.")
      .def(
          "__array__",
          [](const Variable& x, const nb::object& dtype, const nb::object& copy) {
            nb::object array = numpy(x);
            const nb::object own = array;
            if (!dtype.is_none()) array = array.attr("astype")(dtype, "copy"_a = false);
            if (is_true(copy)) return array.is(own) ? array.attr("copy")() : array;
            if (!copy.is_none() && !array.is(own)) {
              throw nb::value_error(
                  "__array__: expected the tensor's own dtype where no copy may be made, given another (copy=None converts)");
            }
            return array;
          },
          "dtype"_a = nb::none(), "copy"_a = nb::none(), "For numpy.asarray().")
      .def(
          "__dlpack__",
          [](const Variable& x, const nb::kwargs& options) {
            const auto option = [&](const char* name) {
              return options.contains(name) ? nb::object(options[name]) : nb::none();
            };
            const nb::object copy = option("copy"), version = option("max_version");
            const Tensor values = is_true(copy) ? lent(x).clone() : lent(x);
            await(values.device());  // the consumer's stream need not
            const nb::object array = nb::cast(shared<nb::array_api>(values));
            return array.attr("__dlpack__")("max_version"_a = version);
          },
          "For from_dlpack() of any library: shares the memory, unless copy is True.")
      .def(
          "__dlpack_device__",
          [](const Variable& x) {
            const Device device = lent(x).device();
            return nb::make_tuple(device.is_host() ? kCpu : kCuda, device.index);
          },
          "DLPack's type and number of the device.");
  // NumPy leaves `array + tensor` to the tensor.
  tensor.attr("__array_ufunc__") = nb::none();
  m.def(
      "from_dlpack", &from_dlpack, "array"_a,
      "A tensor that shares the memory of an array (NumPy, PyTorch, JAX, any object with __dlpack__): no copy; what is written to one is seen in the other. backward() never writes to it. Expects dense row-major memory of f32, f64, bf16, i32 or int8 that may be written; else an Error.");
}

}  // namespace kette::python
