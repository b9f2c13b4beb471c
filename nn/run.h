// The context of one forward pass besides its inputs: whether it trains, its random numbers, and the tap, if any. It is
// passed from layer to layer; no layer has a training flag. The AttentionContext is a separate argument, because
// encoder and decoder of one run have different ones.
#pragma once

#include "nn/points.h"
#include "nn/tap.h"
#include "tensor/random.h"

namespace kette {

class Run {
 public:
  /// Inference: no dropout.
  Run() = default;
  /// Inference with a tap. It must outlive the run.
  explicit Run(Tap* tap) : tap_(tap) {}
  /// One training step. Dropouts are numbered in the order in which the model applies them.
  Run(std::uint64_t seed, std::uint64_t step, Tap* tap = nullptr)
      : training_(true), seed_(seed), step_(step), tap_(tap) {}

  /// Starts batch `leaf` of the step. Its dropout masks do not depend on the batches before it.
  void start_leaf(std::int64_t leaf) { next_ = static_cast<std::uint64_t>(leaf) << 16; }

  bool training() const { return training_; }
  /// The mask of the next dropout. It keeps everything in inference.
  DropoutMask mask(double rate) {
    if (!training_ || rate <= 0) return {};
    // A batch has 65,536 streams. Batches after a step's first use streams beyond those of 2^32 steps.
    const std::uint64_t number = next_++;
    return DropoutMask(rate, {seed_, (number >> 16 << 48) + (step_ << 16) + (number & 0xffff)});
  }

  /// The value at the point `path`, or the tap's replacement. An Error if that has another shape or dtype.
  Variable tap(const std::string& path, const Variable& value) const {
    return tap_ != nullptr && tap_->wants(path) ? shown(path, value) : value;
  }
  /// The same for an intermediate value of the layer at `path`.
  Variable tap(const std::string& path, const points::Within& point, const Variable& value) const {
    return tap_ != nullptr ? tap(point(path), value) : value;
  }
  bool wants(const std::string& path) const { return tap_ != nullptr && tap_->wants(path); }
  bool wants(const std::string& path, const points::Within& point) const {
    return tap_ != nullptr && tap_->wants(point(path));
  }
  bool is_tapped() const { return tap_ != nullptr; }

 private:
  Variable shown(const std::string& path, const Variable& value) const {
    Variable result = tap_->at(path, value);
    KETTE_CHECK(result.shape() == value.shape() && result.value().dtype() == value.value().dtype(),
                path, ": expected a value like the ", value.value().str(),
                " in whose place it comes, given ", result.value().str());
    return result;
  }

  bool training_ = false;
  std::uint64_t seed_ = 0, step_ = 0, next_ = 0;
  Tap* tap_ = nullptr;
};

}  // namespace kette
