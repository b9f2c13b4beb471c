// Anomaly mode: while an AnomalyDetection is alive, the output of every op, forward and backward,
// is checked for NaN and infinity. The first one is an Error with the op, the shapes and the index.
#pragma once

#include <span>

#include "autograd/gradient_slot.h"

namespace kette {

class AnomalyDetection {
 public:
  AnomalyDetection();
  ~AnomalyDetection();
  AnomalyDetection(const AnomalyDetection&) = delete;
  AnomalyDetection& operator=(const AnomalyDetection&) = delete;
};

/// No-ops unless anomaly detection is on.
void check_forward(const char* op, std::span<const Variable* const> inputs, const Tensor& output);
void check_backward(const char* op, std::span<GradientSlot* const> inputs);

/// "[2, 1, 0]": the coordinates of a flat index.
std::string coordinates(const Shape& shape, std::int64_t index);

}  // namespace kette
