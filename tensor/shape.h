// The extents of a dense row-major tensor, outermost axis first: up to six axes of 64 bits, no
// allocation. More elements than 63 bits count are an Error, never a wrap-around.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <string>

#include "tensor/error.h"

namespace kette {

class Shape {
 public:
  static constexpr int kMaxRank = 6;

  Shape() = default;  ///< rank 0: a scalar, one element
  Shape(std::initializer_list<std::int64_t> extents) {
    for (const std::int64_t extent : extents) push_back(extent);
  }

  void push_back(std::int64_t extent) {
    KETTE_CHECK(rank_ < kMaxRank, "Shape: expected at most ", kMaxRank, " axes, given more");
    KETTE_CHECK(extent >= 0, "Shape: expected extents of at least 0, given ", extent);
    extents_[rank_++] = extent;
    std::int64_t total = 1;
    for (int axis = 0; axis < rank_; ++axis) {
      KETTE_CHECK(!__builtin_mul_overflow(total, (*this)[axis], &total), "Shape: ", str(),
                  " has more elements than 63 bits count");
    }
  }

  int rank() const { return rank_; }
  /// Negative axes count from the end: shape[-1] is the innermost extent.
  std::int64_t operator[](int axis) const {
    const int at = axis < 0 ? axis + rank_ : axis;
    KETTE_CHECK(at >= 0 && at < rank_, "Shape: expected an axis of ", str(), ", given ", axis);
    return extents_[at];
  }
  std::int64_t elements() const {
    std::int64_t total = 1;
    for (int axis = 0; axis < rank_; ++axis) total *= extents_[axis];
    return total;
  }
  /// The innermost extent (1 for a scalar): the width of a row.
  std::int64_t width() const { return rank_ == 0 ? 1 : (*this)[-1]; }
  /// The number of rows: the product of all extents but the innermost.
  std::int64_t rows() const {
    std::int64_t total = 1;
    for (int axis = 0; axis + 1 < rank_; ++axis) total *= extents_[axis];
    return total;
  }
  /// This shape with the extent of one axis (negative from the end) replaced.
  Shape with(int axis, std::int64_t extent) const {
    const int replaced = axis < 0 ? axis + rank_ : axis;
    Shape result;
    for (int at = 0; at < rank_; ++at) result.push_back(at == replaced ? extent : (*this)[at]);
    return result;
  }

  bool operator==(const Shape& other) const = default;

  std::string str() const;

 private:
  std::array<std::int64_t, kMaxRank> extents_{};  // entries past rank_ stay 0, so == compares all
  int rank_ = 0;
};

std::ostream& operator<<(std::ostream& out, const Shape& shape);

/// The broadcast shape of two operands by NumPy's rule: axes are aligned at the innermost, extents must be equal or 1.
inline Shape broadcast(const char* op, const Shape& a, const Shape& b) {
  const int rank = a.rank() > b.rank() ? a.rank() : b.rank();
  Shape result;
  for (int axis = -rank; axis < 0; ++axis) {
    const std::int64_t x = -axis <= a.rank() ? a[axis] : 1;
    const std::int64_t y = -axis <= b.rank() ? b[axis] : 1;
    KETTE_CHECK(x == y || x == 1 || y == 1, op, ": expected shapes that broadcast, given ", a,
                " and ", b);
    result.push_back(x == 1 ? y : x);
  }
  return result;
}

}  // namespace kette
