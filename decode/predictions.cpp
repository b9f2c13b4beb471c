#include "decode/predictions.h"

#include "tensor/backend.h"
#include "tensor/kernels.h"
#include "tensor/observer.h"

namespace kette {

Predictions predict(const PrepackedWeight& projection, const Tensor& states, std::int64_t count,
                    const TokenMasks& masks, const Tensor& targets) {
  const std::int64_t rows = states.rows();
  // In one buffer, so that one copy transfers all of them.
  const Tensor answer = Tensor::empty({rows * (2 * count + 1)}, DType::i32, states.device());
  TopKArgs args;
  args.weight = &projection;
  args.states = states;
  args.masks = masks;
  args.targets = targets;
  args.entries = answer.view(0, {rows, count});
  args.values = answer.view(rows * count, {rows, count}).bits_as(DType::f32);
  args.target_values = answer.view(2 * rows * count, {rows}).bits_as(DType::f32);
  const Work work("top_k", {&states, &args.weight->panels}, {&answer});
  on(states.device(), [&](auto exec) { kernels::top_k(exec, args); });
  const auto copy = backend(states.device()).start_copy_to_host(answer.raw(), answer.bytes());
  const auto* entries = static_cast<const std::int32_t*>(copy->wait());
  const auto* values = reinterpret_cast<const float*>(entries + rows * count);
  const float* target_values = values + rows * count;
  return {count,
          {values, target_values},
          {entries, entries + rows * count},
          {target_values, target_values + rows}};
}

}  // namespace kette
