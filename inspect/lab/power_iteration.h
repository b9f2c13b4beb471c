// Power iteration: the largest eigenvalue of a symmetric matrix from its products with vectors, such as those of a
// Hessian (Golub and Van Loan, Matrix Computations, section 8.2). It finds the eigenvalue of largest magnitude. If that
// is negative, it continues with A + s I, whose largest eigenvalue also has the largest magnitude.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "autograd/variable.h"

namespace kette {

/// v -> A v, for a symmetric A.
using SymmetricProduct = std::function<std::vector<double>(const std::vector<double>& v)>;

/// v -> H v, with the Hessian H of a scalar loss of f64 parameters. v has the elements of all leaves, one leaf after
/// the other. For Errors see autograd/hessian.h. leaves must outlive it.
SymmetricProduct hessian_product(std::function<Variable()> loss,
                                 const std::vector<std::shared_ptr<Leaf>>& leaves);

struct PowerIterationOptions {
  /// Stops if the estimate changes from one product to the next by at most this share of the largest magnitude, and the
  /// residual is at most twice the share's square root. (The estimate's error falls with the square of the residual.)
  double tolerance = 1e-4;
  std::int64_t most_products = 300;
  std::uint64_t seed = 1;  ///< of the first vector
};

struct EigenvalueEstimate {
  double value = 0;
  double residual = 0;  ///< |A v - value v| for |v| = 1; an eigenvalue is at most this far away
  std::int64_t products = 0;
  double shift = 0;      ///< s; above 0 if a negative eigenvalue has the largest magnitude
  bool settled = false;  ///< whether the tolerance was reached, before most_products
};

class PowerIteration {
 public:
  explicit PowerIteration(std::int64_t elements, const PowerIterationOptions& options = {});

  /// The largest eigenvalue, not the largest in magnitude. Starts from the eigenvector of the call before, so that few
  /// products suffice if the matrix has changed little.
  EigenvalueEstimate run(const SymmetricProduct& product);
  /// Has length 1.
  const std::vector<double>& eigenvector() const { return v_; }

 private:
  /// Replaces a share of the eigenvector by a random vector.
  void mix(double share);

  PowerIterationOptions options_;
  std::uint64_t drawn_ = 0;
  bool ran_ = false;
  std::vector<double> v_;
};

}  // namespace kette
