#include "train/adam.h"

#include <algorithm>

#include "tensor/kernels.h"
#include "tensor/observer.h"

namespace kette {

Adam::Adam(ParamStore& store, const AdamOptions& options, const Shards& shards)
    : store_(store),
      options_(options),
      shards_(shards),
      first_moment_(
          Tensor::zeros({shards.owned()}, store.values().dtype(), store.values().device())),
      second_moment_(first_moment_.clone()) {}

void Adam::step(double lr, const Tensor& squares, double clip_norm) {
  ++steps_;
  AdamArgs args;
  args.lr = lr;
  args.beta1 = options_.beta1;
  args.beta2 = options_.beta2;
  args.epsilon = options_.epsilon;
  args.weight_decay = options_.weight_decay;
  args.squares = squares;
  args.clip_norm = clip_norm;
  args.step = steps_;
  shards_.for_pieces([&](const Interval& piece, const Interval& place) {
    const auto part = [&](const Tensor& flat) { return flat.slice(piece.begin, piece.end); };
    args.parameters = part(store_.values());
    args.gradients = part(store_.gradients());
    if (store_.rounded().defined()) args.rounded = part(store_.rounded());
    args.first_moment = first_moment_.slice(place.begin, place.end);
    args.second_moment = second_moment_.slice(place.begin, place.end);
    args.decayed =
        std::clamp<std::int64_t>(store_.matrix_elements() - piece.begin, 0, piece.size());
    const Work work("adam",
                    {&args.parameters, &args.gradients, &args.first_moment, &args.second_moment},
                    {&args.parameters, &args.first_moment, &args.second_moment, &args.rounded});
    on(args.parameters.device(), [&](auto exec) { kernels::adam(exec, args); });
  });
}

}  // namespace kette
