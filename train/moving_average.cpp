#include "train/moving_average.h"

#include <algorithm>

#include "tensor/kernels.h"

namespace kette {

MovingAverage::MovingAverage(ParamStore& store, double decay, const Shards& shards,
                             Communicator& communicator)
    : store_(store),
      decay_(decay),
      shards_(shards),
      communicator_(communicator),
      values_(Tensor::empty({shards.owned()}, store.values().dtype(), store.values().device())) {
  shards_.for_pieces([&](const Interval& piece, const Interval& place) {
    values_.slice(place.begin, place.end).copy_from(store_.values().slice(piece.begin, piece.end));
  });
}

void MovingAverage::update(std::int64_t step) {
  const auto steps = static_cast<double>(step);
  const double decay = std::min(decay_, (1 + steps) / (10 + steps));
  shards_.for_pieces([&](const Interval& piece, const Interval& place) {
    const Tensor average = values_.slice(place.begin, place.end),
                 now = store_.values().slice(piece.begin, piece.end);
    on(values_.device(),
       [&](auto exec) { kernels::binary(exec, Lerp{1 - decay}, average, now, average); });
  });
}

void MovingAverage::swap() {
  const Tensor averages = values_.clone();
  shards_.for_pieces([&](const Interval& piece, const Interval& place) {
    const Tensor now = store_.values().slice(piece.begin, piece.end);
    values_.slice(place.begin, place.end).copy_from(now);
    now.copy_from(averages.slice(place.begin, place.end));
  });
  communicator_.gather(store_.values(), shards_);
  store_.round();
}

}  // namespace kette
