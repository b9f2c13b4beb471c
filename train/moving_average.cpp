#include "train/moving_average.h"

#include <algorithm>

#include "tensor/kernels.h"

namespace kette {

MovingAverage::MovingAverage(ParamStore& store, double decay)
    : store_(store), decay_(decay), values_(store.values().clone()) {}

void MovingAverage::update(std::int64_t step) {
  const auto steps = static_cast<double>(step);
  const double decay = std::min(decay_, (1 + steps) / (10 + steps));
  on(values_.device(),
     [&](auto exec) { kernels::binary(exec, Lerp{1 - decay}, values_, store_.values(), values_); });
}

void MovingAverage::swap() {
  const Tensor average = values_.clone();
  values_.copy_from(store_.values());
  store_.values().copy_from(average);
  store_.round();
}

}  // namespace kette
