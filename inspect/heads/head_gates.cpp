#include "inspect/heads/head_gates.h"

#include "autograd/ops/elementwise.h"
#include "autograd/ops/shaping.h"

namespace kette {

void HeadGates::set(const AttentionPart& attention, Variable gates) {
  KETTE_CHECK(gates.shape().width() == attention.heads, attention.path, ": expected gates of ",
              attention.heads, " heads, given ", gates.shape());
  gates_[points::heads(attention.path)] = std::move(gates);
}

std::vector<float>& HeadGates::mask_of(const AttentionPart& attention) {
  std::vector<float>& mask = masks_[attention.path];
  if (mask.empty()) mask.assign(static_cast<std::size_t>(attention.heads), 1);
  return mask;
}

void HeadGates::mask(const AttentionPart& attention, std::int64_t head) {
  std::vector<float>& mask = mask_of(attention);
  mask[head] = 0;
  set(attention, Tensor::from(mask));
}

void HeadGates::keep_only(const AttentionPart& attention, std::int64_t head) {
  std::vector<float>& mask = mask_of(attention);
  for (std::int64_t i = 0; i < attention.heads; ++i) {
    if (i != head) mask[i] = 0;
  }
  set(attention, Tensor::from(mask));
}

Variable HeadGates::at(const std::string& point, const Variable& value) {
  Variable gates = gates_.at(point);
  const Tensor& heads = value.value();
  if (gates.value().dtype() != heads.dtype() || gates.value().device() != heads.device()) {
    gates = gates.value().to(heads.dtype()).to(heads.device());
  }
  const std::int64_t count = gates.shape().width(), width = heads.width() / count;
  const Variable by_head = reshape(value, {heads.rows(), count, width});
  return reshape(by_head * reshape(gates, {gates.value().rows(), count, 1}), heads.shape());
}

HeadGates gates_without(const std::vector<AttentionPart>& attentions, std::span<const Head> heads) {
  HeadGates gates;
  for (const Head& head : heads) gates.mask(attentions[head.attention], head.head);
  return gates;
}

}  // namespace kette
