#include "tensor/tensor.h"

#include <cstdint>
#include <cstring>

#include "tensor/backend.h"
#include "tensor/kernels.h"

namespace kette {

/// One block of memory, of a backend or of another owner, released with the last tensor that uses it.
struct Tensor::Storage {
  Storage(Device where, std::size_t size)
      : device(where), bytes(size), memory(backend(where).allocate(size)) {}
  Storage(Device where, std::size_t size, const void* values)
      : device(where), bytes(size), memory(backend(where).upload(values, size)) {}
  Storage(Device where, std::size_t size, void* of_owner, std::shared_ptr<void> its_owner)
      : device(where), bytes(size), memory(of_owner), owner(std::move(its_owner)) {}
  ~Storage() {
    if (!owner) backend(device).release(memory, bytes);
  }
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  Device device;
  std::size_t bytes;
  void* memory;
  std::shared_ptr<void> owner{};  // null: the backend
};

namespace {

std::size_t bytes_of(const Shape& shape, DType dtype) {
  std::int64_t bytes = 0;
  KETTE_CHECK(
      !__builtin_mul_overflow(shape.elements(), static_cast<std::int64_t>(size_of(dtype)), &bytes),
      "Tensor: ", shape, " of ", name_of(dtype), " has more bytes than 63 bits count");
  return static_cast<std::size_t>(bytes);
}

}  // namespace

Tensor Tensor::empty(Shape shape, DType dtype, Device device) {
  Tensor result;
  result.shape_ = shape;
  result.dtype_ = dtype;
  result.storage_ = std::make_shared<Storage>(device, bytes_of(shape, dtype));
  return result;
}

Tensor Tensor::over(void* memory, Shape shape, DType dtype, Device device,
                    std::shared_ptr<void> owner) {
  KETTE_CHECK(owner != nullptr, "Tensor::over: expected an owner of the memory, given none");
  KETTE_CHECK(reinterpret_cast<std::uintptr_t>(memory) % size_of(dtype) == 0,
              "Tensor::over: expected memory aligned to ", size_of(dtype), " bytes for ",
              name_of(dtype), ", given an address between two elements (copy it first)");
  Tensor result;
  result.shape_ = shape;
  result.dtype_ = dtype;
  result.storage_ =
      std::make_shared<Storage>(device, bytes_of(shape, dtype), memory, std::move(owner));
  return result;
}

bool Tensor::is_sole_owner() const { return storage_.use_count() == 1 && !storage_->owner; }

Tensor Tensor::zeros(Shape shape, DType dtype, Device device) {
  Tensor result = empty(shape, dtype, device);
  result.zero();
  return result;
}

Tensor Tensor::full(Shape shape, double value, DType dtype, Device device) {
  const Tensor result = empty(shape, dtype, device);
  on(device, [&](auto exec) { kernels::fill(exec, result, value); });
  return result;
}

Tensor Tensor::from_host(const void* values, std::size_t count, Shape shape, DType dtype,
                         Device device) {
  KETTE_CHECK(static_cast<std::int64_t>(count) == shape.elements(), "Tensor::from: expected ",
              shape.elements(), " values for shape ", shape, ", given ", count);
  Tensor result;
  result.shape_ = shape;
  result.dtype_ = dtype;
  result.storage_ = std::make_shared<Storage>(device, count * size_of(dtype), values);
  return result;
}

Device Tensor::device() const { return storage_ ? storage_->device : Device{}; }

void* Tensor::raw() const {
  KETTE_CHECK(defined(), "tensor: expected one with values, given one without");
  return static_cast<char*>(storage_->memory) + static_cast<std::size_t>(offset_) * size_of(dtype_);
}

Tensor Tensor::view(std::int64_t begin, Shape shape) const {
  KETTE_CHECK(begin >= 0 && begin <= elements() && shape.elements() <= elements() - begin,
              "Tensor::view: expected ", shape, " at element ", begin, " to lie within the ",
              elements(), " elements of ", shape_);
  Tensor result = *this;
  result.shape_ = shape;
  result.offset_ += begin;
  return result;
}

Tensor Tensor::reshaped(Shape shape) const {
  KETTE_CHECK(shape.elements() == elements(), "reshape: expected a shape of ", elements(),
              " elements for ", shape_, ", given ", shape);
  return view(0, shape);
}

Tensor Tensor::slice(std::int64_t begin, std::int64_t end) const {
  KETTE_CHECK(shape_.rank() > 0 && 0 <= begin && begin <= end && end <= shape_[0],
              "slice: expected a range within the outermost axis of ", shape_, ", given ", begin,
              ":", end);
  const std::int64_t stride = shape_[0] == 0 ? 0 : elements() / shape_[0];
  return view(begin * stride, shape_.with(0, end - begin));
}

Tensor Tensor::bits_as(DType dtype) const {
  KETTE_CHECK(size_of(dtype) == size_of(dtype_), "bits_as: expected a type of ", size_of(dtype_),
              " bytes for ", str(), ", given ", name_of(dtype));
  Tensor result = *this;
  result.dtype_ = dtype;
  return result;
}

Tensor Tensor::clone() const {
  const Tensor result = empty(shape_, dtype_, device());
  result.copy_from(*this);
  return result;
}

Tensor Tensor::to(DType dtype) const {
  if (dtype == dtype_) return *this;
  const Tensor result = empty(shape_, dtype, device());
  on(device(), [&](auto exec) { kernels::cast(exec, *this, result); });
  return result;
}

Tensor Tensor::to(Device device) const {
  if (device == this->device()) return *this;
  if (this->device().kind == DeviceKind::cpu) {
    return from_host(raw(), static_cast<std::size_t>(elements()), shape_, dtype_, device);
  }
  const Tensor result = empty(shape_, dtype_, device);
  result.copy_from(*this);
  return result;
}

void Tensor::copy_from(const Tensor& other) const {
  KETTE_CHECK(other.shape_ == shape_ && other.dtype_ == dtype_, "copy: expected ", str(),
              ", given ", other.str());
  if (elements() == 0) return;
  if (other.device() == device()) {
    const auto *from = static_cast<const char*>(other.raw()), *to = static_cast<const char*>(raw());
    if (from == to) return;
    // Only the CPU copies within its memory as if through a buffer.
    const bool overlap = from < to + bytes() && to < from + bytes();
    const Tensor source = overlap && !device().is_host() ? other.clone() : other;
    backend(device()).copy_within(raw(), source.raw(), bytes());
  } else if (other.device().kind == DeviceKind::cpu) {
    backend(device()).copy_from_host(raw(), other.raw(), bytes());
  } else {
    KETTE_CHECK(device().kind == DeviceKind::cpu, "copy: expected the CPU on one side, given ",
                other.device().str(), " and ", device().str());
    backend(other.device()).copy_to_host(raw(), other.raw(), bytes());
  }
}

void Tensor::zero() const {
  if (elements() > 0) backend(device()).zero(raw(), bytes());
}

double Tensor::item() const {
  KETTE_CHECK(elements() == 1, "item: expected a tensor of one element, given ", str());
  return values<double>()[0];
}

std::string Tensor::str() const {
  if (!defined()) return "undefined tensor";
  return std::string(name_of(dtype_)) + " " + shape_.str() + " on " + device().str();
}

}  // namespace kette
