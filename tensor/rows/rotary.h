// Rotary positions (Su et al. 2021, "RoFormer", section 3.2.2, equation (34)): in every head of the
// queries and keys, pair i = 0 .. h/2 - 1 of the h elements is rotated by the angle
//   a = position * base^(-2i/h):   y_i = x_i cos a - x_(i+h/2) sin a
//                            y_(i+h/2) = x_(i+h/2) cos a + x_i sin a
// so that the product of a query and a key depends only on their distance. The partner of element i
// is i + h/2, the layout of GPT-NeoX and Llama (the paper pairs neighbours; the two differ by a
// permutation of each head). The gradient is the rotation by -a.
#pragma once

#include "tensor/scalar.h"

namespace kette::rows {

/// A "row" here is one head of one token: x, y [tokens, heads, h] as rows of h. The first `turned`
/// heads of every token are rotated, the others copied. y may be x.
template <class T>
struct Rotary {
  using Element = T;
  const T* x;
  const Compute<T>* table;        // [positions, h]: h/2 cosines, then h/2 sines
  const std::int32_t* positions;  // [tokens]
  T* y;
  std::int64_t width;  // h
  std::int64_t heads, turned;
  double direction;  // 1, or -1 for the inverse

  template <class Group>
  KETTE_HOST_DEVICE void operator()(Group g, std::int64_t row) const {
    using C = Compute<T>;
    const std::int64_t token = row / heads, half = width / 2;
    const T* in = x + row * width;
    T* out = y + row * width;
    if (row - token * heads >= turned) {
      g.each(width, [=](std::int64_t i) { out[i] = in[i]; });
      return;
    }
    const C* cosine = table + positions[token] * width;
    const C *sine = cosine + half, turn = C(direction);
    g.each(half, [=](std::int64_t i) {
      const C first = C(in[i]), second = C(in[i + half]);
      const C c = cosine[i], s = turn * sine[i];
      out[i] = first * c - second * s;
      out[i + half] = second * c + first * s;
    });
  }
};

}  // namespace kette::rows
