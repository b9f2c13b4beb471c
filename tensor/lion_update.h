// One element of Lion's step, written once for both devices; the maths stand at LionArgs in
// kernels.h.
#pragma once

#include "tensor/parameter_update.h"

namespace kette {

template <class T, bool kRounds>
struct LionUpdate : ParameterUpdate<T, kRounds> {
  using Base = ParameterUpdate<T, kRounds>;
  using Base::gradients, Base::kept, Base::set;

  T* moment;
  T beta1, beta2, rate;

  explicit LionUpdate(const LionArgs& args)
      : Base(args.update),
        moment(args.moment.data<T>()),
        beta1(T(args.beta1)),
        beta2(T(args.beta2)),
        rate(T(args.update.lr)) {}

  KETTE_HOST_DEVICE void operator()(std::int64_t i, T scale) const {
    const T g = scale * gradients[i], m = moment[i];
    const T mean = beta1 * m + (T(1) - beta1) * g;
    const T sign = mean > T(0) ? T(1) : mean < T(0) ? T(-1) : mean;  // 0 or NaN
    moment[i] = beta2 * m + (T(1) - beta2) * g;
    set(i, kept(i) - rate * sign);
  }
};

}  // namespace kette
