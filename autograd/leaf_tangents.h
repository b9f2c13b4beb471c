// Tangents of parameters (forward mode).
#pragma once

#include <vector>

#include "autograd/variable.h"

namespace kette {

/// While this lives, the leaves have `directions` as tangents.
class LeafTangents {
 public:
  LeafTangents(const std::vector<std::shared_ptr<Leaf>>& leaves,
               const std::vector<Tensor>& directions)
      : leaves_(leaves) {
    KETTE_CHECK(leaves.size() == directions.size(),
                "tangents: expected a direction for each of the ", leaves.size(),
                " parameters, given ", directions.size());
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      KETTE_CHECK(directions[i].shape() == leaves[i]->value.shape(), leaves[i]->name,
                  ": expected a direction of shape ", leaves[i]->value.shape(), ", given ",
                  directions[i].shape());
    }
    for (std::size_t i = 0; i < leaves.size(); ++i) leaves[i]->tangent = directions[i];
  }
  ~LeafTangents() {
    for (const auto& leaf : leaves_) leaf->tangent = {};
  }
  LeafTangents(const LeafTangents&) = delete;
  LeafTangents& operator=(const LeafTangents&) = delete;

 private:
  std::vector<std::shared_ptr<Leaf>> leaves_;
};

}  // namespace kette
