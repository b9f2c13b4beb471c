// The includes of an op's header: the types in the declarations of its struct and function. Its
// source includes autograd/op.h.
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
