// The points of a model that a tap may observe (nn/tap.h), in the order of a forward pass.
#pragma once

#include <string>
#include <vector>

#include "data/tokenizers/tokenizer.h"
#include "models/autoregressive_model.h"

namespace kette {

struct Point {
  std::string name;
  Shape shape;
};

/// The points of a forward pass over a source of `source_tokens` and a target of `target_tokens`.
/// The source is ignored by models without an encoder. The model must be allocated.
std::vector<Point> points_of(const Model& model, std::int64_t source_tokens,
                             std::int64_t target_tokens);

/// The point at the input of a side's first block. A model without an encoder has only one.
std::string embedded_point(const AutoregressiveModel& model, Side side);

}  // namespace kette
