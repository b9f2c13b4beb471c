// Second order: exact products of a loss's Hessian H with a direction, for the cost of a few
// passes. The tangent of the loss along v is <grad L, v>, and its gradient, computed by a tape, is
// H v (Pearlmutter 1994, "Fast exact multiplication by the Hessian"). All functions here throw
// NoTangent (tangents.h) for an op without a tangent.
#pragma once

#include "autograd/gradient_check.h"

namespace kette {

/// H v for each leaf, for a scalar loss of parameters. directions: v, each of its leaf's shape.
/// Gradients of parameters stay as they are.
std::vector<Tensor> hessian_vector_product(const std::function<Variable()>& loss,
                                           const std::vector<std::shared_ptr<Leaf>>& leaves,
                                           const std::vector<Tensor>& directions);

/// Checks second derivatives as check_gradients() checks first ones. For L = sum_k u_k y_k and
/// random directions v (options.directions, at least 2) it compares every element of H v with
/// differences of gradients. The adjoint test is <w, H v> = <v, H w>.
GradientCheck check_second_order(const DifferentiableFunction& function,
                                 const std::vector<SampleInput>& inputs,
                                 const GradientCheckOptions& options = {});
/// The same for a scalar function of parameters; v moves all of them at once.
ParameterChecks check_parameters_second_order(const std::function<Variable()>& loss,
                                              const std::vector<std::shared_ptr<Leaf>>& leaves,
                                              const GradientCheckOptions& options = {});

}  // namespace kette
