#include "tensor/shape.h"

#include <ostream>

namespace kette {

std::string Shape::str() const {
  std::string text = "[";
  for (int axis = 0; axis < rank_; ++axis) {
    if (axis > 0) text += ", ";
    text += std::to_string(extents_[axis]);
  }
  text += ']';
  return text;
}

std::ostream& operator<<(std::ostream& out, const Shape& shape) { return out << shape.str(); }

}  // namespace kette
