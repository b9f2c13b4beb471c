// Sums the gradients of consecutive leaves over the step tree (train/step_tree.h). Backward accumulates a leaf's
// gradient in the ParamStore; that of the last leaf stays there.
#pragma once

#include "nn/param_store.h"
#include "train/step_tree.h"

namespace kette {

class GradientSums {
 public:
  using Part = TreePart<Tensor>;

  explicit GradientSums(ParamStore& store) : store_(store) {}

  /// Starts a step of `leaves` leaves. Clears the store's gradients.
  void begin(std::int64_t leaves);
  /// Moves a leaf's gradient out of the store and clears it.
  void keep(std::int64_t leaf);
  /// Marks the last leaf, before or after its backward pass. Its gradient stays in the store.
  void end(std::int64_t leaf);
  /// After end(): adds the kept sums of the last leaf's node to these elements, whose gradient must be complete.
  void complete(const Interval& elements) const;
  /// After end(): the fewest nodes of all leaves. The sum of the last is the store's gradients, once complete.
  std::vector<Part> parts() const;

 private:
  Tensor room();

  ParamStore& store_;
  std::int64_t leaves_ = 0;
  std::vector<Part> kept_;
  Interval last_;               // the node of the store's gradients after complete()
  std::size_t completing_ = 0;  // how many of kept_, from the back, complete() adds
  std::vector<Tensor> free_;
};

}  // namespace kette
