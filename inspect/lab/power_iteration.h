// The largest eigenvalue of a symmetric matrix that is known by its products with vectors alone, such as a Hessian, by
// power iteration (Golub and Van Loan, Matrix Computations, section 8.2). That finds the eigenvalue of largest
// magnitude; where a negative one is, the iteration goes on with A + s I, whose largest is also the largest in magnitude.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "autograd/variable.h"

namespace kette {

/// v -> A v, for a symmetric A.
using SymmetricProduct = std::function<std::vector<double>(const std::vector<double>& v)>;

/// v -> H v, of the Hessian of a scalar loss of parameters in f64; v has the elements of all leaves, one leaf after
/// the other. See autograd/hessian.h, also for what it throws. leaves must outlive it.
SymmetricProduct hessian_product(std::function<Variable()> loss,
                                 const std::vector<std::shared_ptr<Leaf>>& leaves);

struct PowerIterationOptions {
  /// It ends when the estimate changes from one product to the next by at most this share of the largest magnitude,
  /// and the residual is at most twice the root of it (the estimate's error falls with the residual's square).
  double tolerance = 1e-4;
  std::int64_t most_products = 300;
  std::uint64_t seed = 1;  ///< of the vector that it begins with
};

struct EigenvalueEstimate {
  double value = 0;
  double residual = 0;  ///< |A v - value v| for |v| = 1: an eigenvalue lies that near
  std::int64_t products = 0;
  double shift = 0;      ///< s, above 0 where a negative eigenvalue has the largest magnitude
  bool settled = false;  ///< within the tolerance; false: it ended at most_products
};

class PowerIteration {
 public:
  explicit PowerIteration(std::int64_t elements, const PowerIterationOptions& options = {});

  /// The largest eigenvalue, not the largest in magnitude. Begins with the eigenvector of the call before: of a matrix
  /// that has changed little, few products do.
  EigenvalueEstimate run(const SymmetricProduct& product);
  /// Of length 1.
  const std::vector<double>& eigenvector() const { return v_; }

 private:
  /// Puts a random vector in the place of a share of the eigenvector.
  void mix(double share);

  PowerIterationOptions options_;
  std::uint64_t drawn_ = 0;
  bool ran_ = false;
  std::vector<double> v_;
};

}  // namespace kette
