// Measures how well a model predicts a text. Several processes share the batches.
#pragma once

#include <span>

#include "data/corpora/batches.h"
#include "models/model.h"
#include "train/communicator.h"

namespace kette {

/// Measured without dropout.
struct Validation {
  double loss = 0;      ///< mean negative log likelihood per target token
  double accuracy = 0;  ///< the share of target tokens that the model finds likeliest
};
/// Throws Interrupted as interrupt_check() does (train/interrupt.h).
Validation validate(const Model& model, std::span<const Batch> batches,
                    Communicator& communicator = Communicator::none());
inline double validation_loss(const Model& model, std::span<const Batch> batches) {
  return validate(model, batches).loss;
}

}  // namespace kette
