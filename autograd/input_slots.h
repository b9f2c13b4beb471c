// The slots of an op's inputs, as its backward gets them. If several inputs are the same value,
// each gets its own slot, since a kernel may write to several at once.
#pragma once

#include <algorithm>
#include <deque>
#include <span>
#include <utility>
#include <vector>

#include "autograd/gradient_slot.h"

namespace kette {

class InputSlots {
 public:
  /// slots: those of the inputs' values.
  void assign(const std::vector<GradientSlot*>& slots) {
    given_ = slots;
    for (std::size_t i = 1; i < slots.size(); ++i) {
      const auto end = slots.begin() + static_cast<std::ptrdiff_t>(i);
      if (!slots[i]->wanted() || std::find(slots.begin(), end, slots[i]) == end) continue;
      again_.emplace_back(slots[i]->another(), slots[i]);
      given_[i] = &again_.back().first;
    }
  }
  std::span<GradientSlot* const> given() const { return given_; }
  /// Sums the gradients of the same value.
  void gather() {
    for (auto& [slot, of_value] : again_) {
      if (slot.filled()) of_value->add(slot.take());
    }
    again_.clear();
  }

 private:
  std::vector<GradientSlot*> given_;
  std::deque<std::pair<GradientSlot, GradientSlot*>> again_;  // addresses are stable
};

}  // namespace kette
