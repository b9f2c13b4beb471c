// What a forward pass needs to know besides its inputs: whether it trains, which random numbers are its own, and
// who looks inside. Handed from layer to layer; no layer hides a flag of its own. How queries meet keys changes
// within a run, from encoder to decoder, and comes with the rows (nn/attention_context.h).
#pragma once

#include "nn/points.h"
#include "nn/tap.h"
#include "tensor/random.h"

namespace kette {

class Run {
 public:
  /// Inference: no dropout.
  Run() = default;
  /// Inference that somebody may look into. The tap must outlive the run.
  explicit Run(Tap* tap) : tap_(tap) {}
  /// One training step: its dropouts are numbered in the order the model applies them.
  Run(std::uint64_t seed, std::uint64_t step, Tap* tap = nullptr)
      : training_(true), seed_(seed), step_(step), tap_(tap) {}

  /// What follows is of this batch of the step, whose dropouts do not depend on what comes before it.
  void start_leaf(std::int64_t leaf) { next_ = static_cast<std::uint64_t>(leaf) << 16; }

  bool training() const { return training_; }
  /// The mask of the next dropout; keeps everything when not training.
  DropoutMask mask(double rate) {
    if (!training_ || rate <= 0) return {};
    // A batch has 65,536 streams; those of all but a step's first lie beyond those of 2^32 steps.
    const std::uint64_t number = next_++;
    return DropoutMask(rate, {seed_, (number >> 16 << 48) + (step_ << 16) + (number & 0xffff)});
  }

  /// The value at the point `path`, or what the tap puts in its place.
  Variable tap(const std::string& path, const Variable& value) const {
    return tap_ != nullptr && tap_->wants(path) ? shown(path, value) : value;
  }
  /// Of a value on the way through what has that path.
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
