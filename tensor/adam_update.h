// One element of Adam's step, written once for both devices; the maths stand at AdamArgs in
// kernels.h.
#pragma once

#include <cmath>

#include "tensor/parameter_update.h"

namespace kette {

template <class T, bool kRounds>
struct AdamUpdate : ParameterUpdate<T, kRounds> {
  using Base = ParameterUpdate<T, kRounds>;
  using Base::gradients, Base::kept, Base::set;

  T *first_moment, *second_moment;
  T beta1, beta2, epsilon, rate, root;

  explicit AdamUpdate(const AdamArgs& args)
      : Base(args.update),
        first_moment(args.first_moment.data<T>()),
        second_moment(args.second_moment.data<T>()),
        beta1(T(args.beta1)),
        beta2(T(args.beta2)),
        epsilon(T(args.epsilon)),
        rate(T(args.update.lr / bias(args.beta1, args.update.step))),
        root(T(1 / std::sqrt(bias(args.beta2, args.update.step)))) {}

  KETTE_HOST_DEVICE void operator()(std::int64_t i, T scale) const {
    const T g = scale * gradients[i];
    const T m = beta1 * first_moment[i] + (T(1) - beta1) * g;
    const T v = beta2 * second_moment[i] + (T(1) - beta2) * g * g;
    first_moment[i] = m;
    second_moment[i] = v;
    set(i, kept(i) - rate * m / (scalar::sqrt(v) * root + epsilon));
  }

 private:
  /// 1 - beta^step: the share of the values so far in a running mean that began at 0.
  static double bias(double beta, std::int64_t step) {
    return 1 - std::pow(beta, static_cast<double>(step));
  }
};

}  // namespace kette
