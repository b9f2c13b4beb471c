// Eigenvalues and singular values of small dense matrices, by OpenBLAS' LAPACK.
#pragma once

#include <complex>
#include <cstdint>
#include <vector>

namespace kette {

/// Row-major.
struct DenseMatrix {
  std::int64_t rows = 0, columns = 0;
  std::vector<double> values;

  DenseMatrix() = default;
  DenseMatrix(std::int64_t r, std::int64_t c)
      : rows(r), columns(c), values(static_cast<std::size_t>(r * c)) {}
  double& operator()(std::int64_t row, std::int64_t column) {
    return values[row * columns + column];
  }
  double operator()(std::int64_t row, std::int64_t column) const {
    return values[row * columns + column];
  }
};

DenseMatrix product(const DenseMatrix& a, const DenseMatrix& b);
DenseMatrix transposed(const DenseMatrix& a);
/// The root of the sum of squares.
double frobenius_norm(const DenseMatrix& a);
/// The eigenvalues of a square matrix, in any order (LAPACK's dgeev).
std::vector<std::complex<double>> eigenvalues(const DenseMatrix& a);
/// The singular values, descending (dgesdd).
std::vector<double> singular_values(const DenseMatrix& a);

}  // namespace kette
