#include "train/finite_state.h"

#include <optional>
#include <string>

#include "nn/param_store.h"
#include "tensor/error.h"
#include "train/train_step.h"

namespace kette {

void expect_finite(std::int64_t step, const Optimizer& optimizer, Communicator& communicator,
                   std::int64_t saved_step) {
  const ParamStore& store = optimizer.parameters();
  communicator.agree([&] {
    const auto check = [&](const Tensor& values, std::int64_t begin) {
      const std::optional<std::string> bad = store.find_non_finite(values, begin);
      KETTE_CHECK(!bad, "train: expected finite parameters and moments at step ", step, ", given ",
                  *bad, "; nothing of them was kept, and --resume goes on from step ", saved_step,
                  kDivergenceAdvice);
    };
    check(store.values(), 0);
    optimizer.shards().for_pieces([&](const Interval& piece, const Interval& place) {
      for (const Optimizer::State& one : optimizer.state()) {
        check(one.values.slice(place.begin, place.end), piece.begin);
      }
    });
  });
}

}  // namespace kette
