// Dropout (Srivastava et al. 2014), inverted: y = mask * x with mask 0 or 1 / (1 - rate). The
// backward pass is the same function of dy with the same mask, drawn again. x, y: [rows, width].
#pragma once

#include <array>

#include "tensor/random.h"
#include "tensor/scalar.h"

namespace kette::rows {

template <class T>
struct Dropout {
  using Element = T;
  const T* x;
  T* y;
  std::int64_t width;
  DropoutMask mask;

  std::array<const void*, 2> addresses() const { return {x, y}; }

  template <class Group>
  KETTE_HOST_DEVICE void operator()(Group g, std::int64_t row) const {
    using C = Compute<T>;
    const auto in = g.read(x + row * width, width);
    auto out = g.write(y + row * width, width);
    const auto keep = g.mask(mask, row, width);
    g.each(width, [&](auto j) { out[j] = C(keep(j)) * C(in[j]); });
    g.store(out, y + row * width, width);
  }
};

}  // namespace kette::rows
