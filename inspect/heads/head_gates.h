// Gates multiply the output of each head, before the output map. 0 masks a head, 1 keeps it (Michel et al.
// 2019, "Are Sixteen Heads Really Better than One?", equation 2). On a tape the gates may be variables; their
// gradients give the heads' importance (equation 3).
#pragma once

#include <map>
#include <span>

#include "inspect/heads/attention_heads.h"

namespace kette {

class HeadGates final : public Tap {
 public:
  /// Masks one head, or all but one, of an attention. Earlier masks stay.
  void mask(const AttentionPart& attention, std::int64_t head);
  void keep_only(const AttentionPart& attention, std::int64_t head);
  /// gates: [heads], or [rows, heads] for each row of the pass.
  void set(const AttentionPart& attention, Variable gates);

  bool wants(const std::string& point) const override { return gates_.contains(point); }
  Variable at(const std::string& point, const Variable& value) override;

 private:
  std::vector<float>& mask_of(const AttentionPart& attention);

  std::map<std::string, Variable> gates_;  // by the point of the heads
  std::map<std::string, std::vector<float>> masks_;
};

/// Masks these heads of the attentions.
HeadGates gates_without(const std::vector<AttentionPart>& attentions, std::span<const Head> heads);

}  // namespace kette
