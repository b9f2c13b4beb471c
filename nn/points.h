// What the points of a pass are called that are no layer's own path (nn/tap.h): values on the way through a
// layer or a model.
#pragma once

#include <string>
#include <string_view>

namespace kette::points {

/// A value on the way through something with a path: path/name, or the name alone where that is empty.
class Within {
 public:
  constexpr explicit Within(std::string_view name) : name_(name) {}

  std::string operator()(const std::string& path) const {
    return path.empty() ? std::string(name_) : path + "/" + std::string(name_);
  }
  /// Whether a point is such a value, of whatever path.
  bool names(std::string_view point) const {
    return point.ends_with(name_) &&
           (point.size() == name_.size() || point[point.size() - name_.size() - 1] == '/');
  }

 private:
  std::string_view name_;
};

/// Of an attention: [rows, heads, keys], before dropout.
inline constexpr Within probabilities("probabilities");
/// Of an attention: the outputs of its heads side by side, before the map that joins them.
inline constexpr Within heads("heads");
/// Of a norm: what it is taken of, the residual stream.
inline constexpr Within sum("sum");
/// Of a feed-forward layer with a gate: what comes out of it.
inline constexpr Within hidden("hidden");
/// Of a stack: what its first block reads.
inline constexpr Within embedded("embedded");

// Of models: the stacks of those that have two, and what all have.
inline constexpr const char* kEncoder = "encoder";
inline constexpr const char* kDecoder = "decoder";
inline constexpr const char* kLogits = "logits";
inline constexpr const char* kLoss = "loss";

}  // namespace kette::points
