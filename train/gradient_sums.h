// The sums of the gradients of leaves that come one after the other, over the step tree (train/step_tree.h). A leaf's
// gradient gathers in the ParamStore, where that of the last one stays.
#pragma once

#include "nn/param_store.h"
#include "train/step_tree.h"

namespace kette {

class GradientSums {
 public:
  using Part = TreePart<Tensor>;

  explicit GradientSums(ParamStore& store) : store_(store) {}

  /// Forgets those of an earlier step of this tree, and clears the store's.
  void begin(std::int64_t leaves);
  /// Takes a leaf's gradient out of the store, which it clears for the next.
  void keep(std::int64_t leaf);
  /// What comes next in the store is that of this leaf, and no other comes behind it.
  void end(std::int64_t leaf);
  /// After end(), of elements whose gradient is there: adds to it what is to become one node with it.
  void complete(const Interval& elements) const;
  /// After end(): the nodes of all leaves. The last sum is the store's gradients, once they are complete.
  std::vector<Part> parts() const;

 private:
  Tensor room();

  ParamStore& store_;
  std::int64_t leaves_ = 0;
  std::vector<Part> kept_;
  Interval last_;               // the node that the gradients in the store become
  std::size_t completing_ = 0;  // so many of kept_ go into it, from the back
  std::vector<Tensor> free_;
};

}  // namespace kette
