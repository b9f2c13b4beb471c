// What the header of an op includes: the types that its struct and its function are declared with. Its source
// includes autograd/op.h.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "autograd/gradient_slot.h"
#include "autograd/variable.h"
#include "tensor/op_name.h"

namespace kette {

struct Sample;

}  // namespace kette
