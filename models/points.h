// The points of a model that a tap may look at (nn/tap.h), as a pass over it meets them.
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

/// Of a pass over a source of `source_tokens` and a target of `target_tokens`, as far as the model reads
/// such. It must have values, or room for them.
std::vector<Point> points_of(const Model& model, std::int64_t source_tokens,
                             std::int64_t target_tokens);

/// What the first block reads of a side; of a model without an encoder there is one alone.
std::string embedded_point(const AutoregressiveModel& model, Side side);

}  // namespace kette
