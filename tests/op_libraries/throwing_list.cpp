// Whose list of ops cannot be made.
#include <stdexcept>

#include "autograd/op_library.h"
#include "autograd/ops/elementwise.h"

namespace {

struct Unlisted {
  static constexpr const char* name = "unlisted";
  static std::vector<kette::Sample> samples() { throw std::runtime_error("no samples today"); }
};

}  // namespace

KETTE_OPS(Unlisted)
