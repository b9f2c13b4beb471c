// How well a model predicts a text, which several processes share out.
#pragma once

#include <span>

#include "data/corpora/batches.h"
#include "models/model.h"
#include "train/communicator.h"

namespace kette {

/// What a model makes of batches without dropout.
struct Validation {
  double loss = 0;      ///< mean negative log likelihood per target token
  double accuracy = 0;  ///< share of the target tokens that are the likeliest of all
};
Validation validate(const Model& model, std::span<const Batch> batches,
                    Communicator& communicator = Communicator::none());
inline double validation_loss(const Model& model, std::span<const Batch> batches) {
  return validate(model, batches).loss;
}

}  // namespace kette
