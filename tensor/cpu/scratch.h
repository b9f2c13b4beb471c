// Working memory of one kernel call, from the backend's cache: 64-byte aligned, contents
// unspecified.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tensor/backend.h"

namespace kette::cpu {

template <class T>
class Scratch {
 public:
  explicit Scratch(std::int64_t count)
      : bytes_(static_cast<std::size_t>(count) * sizeof(T)),
        data_(count == 0 ? nullptr : static_cast<T*>(backend(Device{}).allocate(bytes_))) {}
  ~Scratch() {
    if (data_ != nullptr) backend(Device{}).release(data_, bytes_);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  T* data() const { return data_; }

 private:
  std::size_t bytes_;
  T* data_;
};

}  // namespace kette::cpu
