// Second order: products of a loss's Hessian H with a direction, exact, at the price of a few passes. The tangent of the
// loss along v is <grad L, v>; its gradient, which a tape makes of it as of any other value, is H v (Pearlmutter 1994,
// "Fast exact multiplication by the Hessian"). All here throw NoTangent (tangents.h) for an op that has no tangent.
#pragma once

#include "autograd/gradient_check.h"

namespace kette {

/// H v for each leaf, of a scalar loss of parameters. directions: v, each of its leaf's shape. The leaves' gradients are
/// written over.
std::vector<Tensor> hessian_vector_product(const std::function<Variable()>& loss,
                                           const std::vector<std::shared_ptr<Leaf>>& leaves,
                                           const std::vector<Tensor>& directions);

/// Checks second derivatives of a function of inputs, as check_gradients() does first ones: of L = sum_k u_k y_k, every
/// element of H v for random directions v (options.directions, at least 2) against differences of gradients, and, as the
/// adjoint test, <w, H v> = <v, H w>.
GradientCheck check_second_order(const DifferentiableFunction& function,
                                 const std::vector<SampleInput>& inputs,
                                 const GradientCheckOptions& options = {});
/// Of a scalar function of parameters; v moves all of them at once.
ParameterChecks check_parameters_second_order(const std::function<Variable()>& loss,
                                              const std::vector<std::shared_ptr<Leaf>>& leaves,
                                              const GradientCheckOptions& options = {});

}  // namespace kette
