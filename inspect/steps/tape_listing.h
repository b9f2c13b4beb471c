// The tape of a training step as plain data: for every node the memory it keeps, the time of its forward and backward,
// and its gradients. Tables, the walk in a terminal and pages are made of it.
#pragma once

#include <functional>

#include "autograd/gradient_check.h"
#include "inspect/steps/step_trace.h"
#include "models/model.h"

namespace kette {

/// A summary of a tensor.
struct TensorNote {
  double norm = 0;             ///< L2
  std::vector<double> values;  ///< the first kMostValues
};

struct TapeInput {
  std::int64_t node = -1;  ///< the node whose output it is; -1: none
  std::string leaf;        ///< the parameter's name; empty: not a parameter
  TensorInfo tensor;       ///< without elements if the op got none, such as no bias
  bool wanted = false;     ///< whether a gradient is computed; false for constants

  /// The gradient before and after the node's backward, and what it added. `before` has no values if nothing was
  /// accumulated yet. If an op has the same input twice, both contributions are added at once.
  TensorNote before, contribution, after;
};

struct TapeNode {
  std::int64_t number = 0;
  std::string op, formula;
  std::string scope;   ///< its place in the model (scope_finder.h)
  std::string source;  ///< the place of the op's struct: "autograd/ops/layer_norm.h:24"; or empty
  std::vector<TapeInput> inputs;
  std::vector<TensorInfo> outputs;
  /// The bytes that its forward allocated and that still exist when backward begins. The sum over all nodes is
  /// the memory of the activations.
  std::int64_t kept_bytes = 0;
  std::int64_t forward_nanoseconds = 0, backward_nanoseconds = 0;
  /// By output; norm 0 and no values if no gradient arrived.
  std::vector<TensorNote> gradients;

  /// The L2 norm of all gradients together.
  double gradient_norm() const;
};

struct TapeListing {
  std::string device;
  std::vector<TapeNode> nodes;  ///< in the order of recording
  double loss = 0;              ///< mean over the target tokens

  static constexpr std::int64_t kMostValues = 8;
};

/// The settings of a step.
struct TapeStep {
  double label_smoothing = 0.1;
  std::uint64_t seed = 1;  ///< of the dropout masks
};

/// Runs forward and backward on a whole batch three times: to warm up, to measure times, and to record gradients. The
/// model's gradients are then those of the step. On a GPU the host waits for each op, to measure each alone.
TapeListing list_tape(Model& model, const Batch& batch, const TapeStep& step = {});

/// Checks the gradient of one node's op, with its settings, on random inputs of the same shapes. model: in f64.
struct NodeCheck {
  std::string op, scope;
  std::vector<TensorInfo> inputs;
  GradientCheck check;
};
NodeCheck check_node(Model& model, const Batch& batch, std::int64_t number,
                     const GradientCheckOptions& options, const TapeStep& step = {});

}  // namespace kette
