#include "nn/smeared_keys.h"

#include <algorithm>

#include "autograd/ops/elementwise.h"
#include "autograd/ops/smear.h"
#include "nn/cached_sequences.h"
#include "tensor/kernels.h"

namespace kette {
namespace {

/// The part of a slot with unmixed keys.
constexpr std::int64_t kUnsmeared = 1;

/// Writes all keys of the pass before any is mixed with the previous one.
Tensor smeared_in_cache(const Tensor& x, const Tensor& gates, const CachePlaces& places,
                        const Tensor& past) {
  check_smear(x, gates, places.positions);
  const std::int64_t width = x.width() / 3;
  write_to_cache(x, width, places, past);
  const Tensor y = Tensor::empty(x.shape(), x.dtype(), x.device());
  const rows::Smear<float> body{x.data<float>(),
                                gates.data<float>(),
                                places.positions.data<std::int32_t>(),
                                y.data<float>(),
                                width,
                                width / gates.elements(),
                                past.data<float>(),
                                places.table.data<std::int32_t>(),
                                places.lines.data<std::int32_t>(),
                                places.table.width()};
  on(x.device(), [&](auto exec) { kernels::for_rows(exec, body, x.rows()); });
  return y;
}

class SmearedKeys final : public Mixer {
 public:
  /// At 0 both keys have equal weight.
  SmearedKeys(const Scope& scope, const HeadShape& heads)
      : smear_(scope.parameter("smear", {heads.count}, Init::constant(0))) {}

  Variable prepared(const Variable& qkv, const AttentionContext& sequences,
                    std::int64_t layer) const override {
    const Variable gates = sigmoid(smear_);
    if (const CachedRows* rows = sequences.cached()) {
      return smeared_in_cache(qkv.value(), gates.value(), rows->places,
                              rows->past->layer(layer, kUnsmeared));
    }
    return smear(qkv, gates, sequences.positions_on(qkv.value().device()));
  }

  SlotLayout slots(const HeadShape& heads, const AttentionPattern& pattern,
                   DType dtype) const override {
    SlotLayout layout = Mixer::slots(heads, pattern, dtype);
    layout.parts.push_back({heads.total_width(), DType::f32});
    if (layout.window > 0) layout.window = std::max<std::int64_t>(layout.window, 2);
    return layout;
  }

  std::vector<Variable> head_parameters() const override { return {smear_}; }

 private:
  Variable smear_;
};

}  // namespace

std::shared_ptr<const Mixer> smeared_keys_mixer(const Scope& scope, const HeadShape& heads) {
  return std::make_shared<const SmearedKeys>(scope, heads);
}

}  // namespace kette
