// The tape of a training step as plain data: every node, what it keeps, how long it takes both ways, and what
// gradient it is given and gives on. Tables, the walk in a terminal and pages are made of it.
#pragma once

#include <functional>

#include "autograd/gradient_check.h"
#include "inspect/steps/step_trace.h"
#include "models/model.h"

namespace kette {

/// What stands for a tensor where it is too large to be listed whole.
struct TensorNote {
  double norm = 0;             ///< L2
  std::vector<double> values;  ///< the first kMostValues
};

struct TapeInput {
  std::int64_t node = -1;  ///< whose output it is; -1: of none
  std::string leaf;        ///< the parameter's name; empty: it is none
  TensorInfo tensor;       ///< without elements where the op was given none, such as no bias
  /// constant: neither of the two above, and no gradient is wanted
  bool wanted = false;

  /// What the backward of the node did to its gradient. Nothing had gathered before where `before` has no
  /// values. The same input twice gathers both contributions at once.
  TensorNote before, contribution, after;
};

struct TapeNode {
  std::int64_t number = 0;
  std::string op, formula;
  std::string scope;   ///< its place in the model (scope_finder.h)
  std::string source;  ///< where the op's struct stands: "autograd/ops/layer_norm.h:24"; or empty
  std::vector<TapeInput> inputs;
  std::vector<TensorInfo> outputs;
  /// Of the pool's memory that its forward took, what still lives when backward begins, whoever keeps it:
  /// over all nodes this adds up to the memory of the activations.
  std::int64_t kept_bytes = 0;
  std::int64_t forward_nanoseconds = 0, backward_nanoseconds = 0;
  /// Of each output; a norm of 0 without values where none arrived.
  std::vector<TensorNote> gradients;

  /// L2 norm of all of them.
  double gradient_norm() const;
};

struct TapeListing {
  std::string device;
  std::vector<TapeNode> nodes;  ///< in the order in which they were recorded
  double loss = 0;              ///< mean over the target tokens

  static constexpr std::int64_t kMostValues = 8;
};

/// What is the same each time a step is looked at.
struct TapeStep {
  double label_smoothing = 0.1;
  std::uint64_t seed = 1;  ///< of the dropout masks
};

/// The forward and the backward pass of a training step on a batch, which is taken whole. They run three
/// times: to warm up, to be timed, and to be looked into. The gradients are then those of the step. On a GPU
/// each op is waited for, so that its time is its own.
TapeListing list_tape(Model& model, const Batch& batch, const TapeStep& step = {});

/// Checks the gradient of one node's op, as it was set, on random inputs of its shapes. model: in f64, otherwise as for
/// list_tape().
struct NodeCheck {
  std::string op, scope;
  std::vector<TensorInfo> inputs;
  GradientCheck check;
};
NodeCheck check_node(Model& model, const Batch& batch, std::int64_t number,
                     const GradientCheckOptions& options, const TapeStep& step = {});

}  // namespace kette
