// A dense row-major tensor on a device: shape, element type, and shared storage with an offset. Copies are cheap and
// share storage; reshaped() and slice() do too. There are no strides: for products, a Matrix (tensor/kernels.h) is a
// tensor transposed or some of its columns. A Tensor has no gradients.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tensor/device.h"
#include "tensor/dtype.h"
#include "tensor/shape.h"

namespace kette {

class Tensor {
 public:
  Tensor() = default;  ///< no storage; defined() is false

  static Tensor empty(Shape shape, DType dtype = DType::f32, Device device = {});
  static Tensor zeros(Shape shape, DType dtype = DType::f32, Device device = {});
  static Tensor full(Shape shape, double value, DType dtype = DType::f32, Device device = {});
  /// Copies values (as many as the shape has elements) to the device.
  template <class T>
  static Tensor from(const std::vector<T>& values, Shape shape, Device device = {}) {
    return from_host(values.data(), values.size(), shape, dtype_of<T>, device);
  }
  /// A vector of rank 1.
  template <class T>
  static Tensor from(const std::vector<T>& values, Device device = {}) {
    return from(values, Shape{static_cast<std::int64_t>(values.size())}, device);
  }

  /// Over memory of others, row-major, aligned to its elements. `owner` is released with the last
  /// tensor that uses it. Never a sole owner, so that backward does not overwrite it.
  static Tensor over(void* memory, Shape shape, DType dtype, Device device,
                     std::shared_ptr<void> owner);

  bool defined() const { return storage_ != nullptr; }
  const Shape& shape() const { return shape_; }
  DType dtype() const { return dtype_; }
  Device device() const;
  std::int64_t elements() const { return shape_.elements(); }
  std::int64_t rows() const { return shape_.rows(); }
  std::int64_t width() const { return shape_.width(); }
  std::size_t bytes() const { return static_cast<std::size_t>(elements()) * size_of(dtype_); }
  /// True when nothing else shares the storage, so that it may be overwritten.
  bool is_sole_owner() const;

  /// The elements, typed; the dtype must match. Device memory when the tensor is on a GPU.
  template <class T>
  T* data() const {
    KETTE_CHECK(defined(), "Tensor: expected a tensor with storage, given an undefined one");
    KETTE_CHECK(dtype_of<std::remove_const_t<T>> == dtype_, "Tensor: expected ",
                name_of(dtype_of<std::remove_const_t<T>>), " elements, given ", name_of(dtype_));
    return static_cast<T*>(raw());
  }
  void* raw() const;

  /// The same elements under another shape.
  Tensor reshaped(Shape shape) const;
  /// Entries [begin, end) of the outermost axis; shares storage.
  Tensor slice(std::int64_t begin, std::int64_t end) const;
  /// Elements [begin, begin + shape.elements()) of this tensor, under a shape; shares storage.
  Tensor view(std::int64_t begin, Shape shape) const;

  /// The same bits as elements of another type of the same size; shares storage.
  Tensor bits_as(DType dtype) const;

  Tensor clone() const;
  Tensor to(DType dtype) const;    ///< converted; the tensor itself when it already has the type
  Tensor to(Device device) const;  ///< copied; the tensor itself when it is already there
  /// `other` has the same shape and dtype. Both are on the same device, or one is on the CPU. They
  /// may share memory.
  void copy_from(const Tensor& other) const;
  void zero() const;

  /// All elements on the host, converted to T.
  template <class T>
  std::vector<T> values() const {
    const Tensor host = to(dtype_of<T>).to(Device{});
    const T* data = host.data<T>();
    return std::vector<T>(data, data + host.elements());
  }
  /// The only element, as a double.
  double item() const;
  /// "f32 [2, 3] on cpu"
  std::string str() const;

 private:
  struct Storage;
  static Tensor from_host(const void* values, std::size_t count, Shape shape, DType dtype,
                          Device device);

  Shape shape_;
  DType dtype_ = DType::f32;
  std::shared_ptr<Storage> storage_;
  std::int64_t offset_ = 0;  // in elements
};

}  // namespace kette
