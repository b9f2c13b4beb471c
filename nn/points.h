// Names of points that are not the output of a layer (nn/tap.h): intermediate values of a layer or
// a model.
#pragma once

#include <string>
#include <string_view>

namespace kette::points {

/// An intermediate value of the layer at a path: path/name, or only name if the path is empty.
class Within {
 public:
  constexpr explicit Within(std::string_view name) : name_(name) {}

  std::string operator()(const std::string& path) const {
    return path.empty() ? std::string(name_) : path + "/" + std::string(name_);
  }
  /// Whether a point is this value of any layer.
  bool names(std::string_view point) const {
    return point.ends_with(name_) &&
           (point.size() == name_.size() || point[point.size() - name_.size() - 1] == '/');
  }

 private:
  std::string_view name_;
};

/// Of an attention: [rows, heads, keys], before dropout.
inline constexpr Within probabilities("probabilities");
/// Of an attention: the concatenated outputs of its heads, before the output map.
inline constexpr Within heads("heads");
/// Of a norm: its input, the residual stream.
inline constexpr Within sum("sum");
/// Of a gated feed-forward layer: the output of the gate.
inline constexpr Within hidden("hidden");
/// Of a stack: the input of its first block.
inline constexpr Within embedded("embedded");

// Of models: the stacks of an encoder-decoder, and points that all models have.
inline constexpr const char* kEncoder = "encoder";
inline constexpr const char* kDecoder = "decoder";
inline constexpr const char* kLogits = "logits";
inline constexpr const char* kLoss = "loss";

}  // namespace kette::points
