// Models whose vectors are not what they start as: materialize() leaves biases at 0 and gains at 1,
// which would hide a forgotten one, and one in another's place.
#pragma once

#include "nn/param_store.h"
#include "tensor/random.h"

namespace kette::testing {

/// T: what the parameters lie in.
template <class T>
void vary_vectors(const ParamStore& parameters, std::uint64_t seed) {
  Random random(seed, 99);
  for (const auto& leaf : parameters.leaves()) {
    if (leaf->value.shape().rank() != 1) continue;
    T* values = leaf->value.data<T>();
    for (std::int64_t i = 0; i < leaf->value.elements(); ++i) {
      values[i] += static_cast<T>(random.uniform(-0.3, 0.3));
    }
  }
}

}  // namespace kette::testing
