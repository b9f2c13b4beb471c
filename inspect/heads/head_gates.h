// A factor on what each head of an attention gives, before the output map: 0 masks a head (Michel et al.
// 2019, "Are Sixteen Heads Really Better than One?", equation 2), 1 leaves it. On a tape the factors
// may be variables, whose gradients are the heads' importance (equation 3).
#pragma once

#include <map>
#include <span>

#include "inspect/heads/attention_heads.h"

namespace kette {

class HeadGates final : public Tap {
 public:
  /// Masks one head, or all but one, of an attention, beside what is masked already.
  void mask(const AttentionPart& attention, std::int64_t head);
  void keep_only(const AttentionPart& attention, std::int64_t head);
  /// gates: [heads], or [rows, heads] with those of each row of the pass.
  void set(const AttentionPart& attention, Variable gates);

  bool wants(const std::string& point) const override { return gates_.contains(point); }
  Variable at(const std::string& point, const Variable& value) override;

 private:
  std::vector<float>& mask_of(const AttentionPart& attention);

  std::map<std::string, Variable> gates_;  // by the point of the heads
  std::map<std::string, std::vector<float>> masks_;
};

/// Masks those heads. heads: of the attentions, as heads_of() counts them.
HeadGates gates_without(const std::vector<AttentionPart>& attentions, std::span<const Head> heads);

}  // namespace kette
