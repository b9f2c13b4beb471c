// One element of Adam's step, written once for both devices; the maths stand at AdamArgs in
// kernels.h.
#pragma once

#include <cmath>

#include "tensor/kernels.h"
#include "tensor/scalar.h"

namespace kette {

/// kRounds: whether `rounded` is there. A test of that in the loop would keep compilers from vectorising it.
template <class T, bool kRounds>
struct AdamUpdate {
  T *parameters, *first_moment, *second_moment;
  const T* gradients;
  BFloat16* rounded;
  const double* squares;  ///< may be null
  std::int64_t decayed;
  double clip_norm;
  T beta1, beta2, epsilon, keep, rate, root;

  explicit AdamUpdate(const AdamArgs& args)
      : parameters(args.parameters.data<T>()),
        first_moment(args.first_moment.data<T>()),
        second_moment(args.second_moment.data<T>()),
        gradients(args.gradients.data<T>()),
        rounded(args.rounded.defined() ? args.rounded.data<BFloat16>() : nullptr),
        squares(args.squares.defined() ? args.squares.data<double>() : nullptr),
        decayed(args.decayed),
        clip_norm(args.clip_norm),
        beta1(T(args.beta1)),
        beta2(T(args.beta2)),
        epsilon(T(args.epsilon)),
        keep(T(1 - args.lr * args.weight_decay)),
        rate(T(args.lr / (1 - std::pow(args.beta1, static_cast<double>(args.step))))),
        root(T(1 / std::sqrt(1 - std::pow(args.beta2, static_cast<double>(args.step))))) {}

  /// What every gradient is multiplied by: once for many of them.
  KETTE_HOST_DEVICE T gradient_scale() const {
    const double norm = squares ? scalar::sqrt(*squares) : 0;
    return norm > clip_norm ? T(clip_norm / norm) : T(1);
  }

  KETTE_HOST_DEVICE void operator()(std::int64_t i, T scale) const {
    const T g = scale * gradients[i];
    const T m = beta1 * first_moment[i] + (T(1) - beta1) * g;
    const T v = beta2 * second_moment[i] + (T(1) - beta2) * g * g;
    first_moment[i] = m;
    second_moment[i] = v;
    const T kept = i < decayed ? keep * parameters[i] : parameters[i];
    const T p = kept - rate * m / (scalar::sqrt(v) * root + epsilon);
    parameters[i] = p;
    if constexpr (kRounds) rounded[i] = static_cast<float>(p);
  }
};

/// Calls function(AdamUpdate) with the dtype of the tensors.
template <class Function>
void visit_adam(const AdamArgs& args, const Function& function) {
  if (args.parameters.dtype() == DType::f64) {
    function(AdamUpdate<double, false>(args));
  } else if (args.rounded.defined()) {
    function(AdamUpdate<float, true>(args));
  } else {
    function(AdamUpdate<float, false>(args));
  }
}

}  // namespace kette
