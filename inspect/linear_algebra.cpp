#include "inspect/linear_algebra.h"

#include <algorithm>
#include <cmath>

#include "tensor/error.h"
#include "tensor/parallel_for.h"

// LAPACK's own names, which Debian's OpenBLAS has and no header of it declares. Matrices are column-major.
extern "C" {
// NOLINTBEGIN(readability-identifier-naming): Fortran's names
void dgeev_(const char* left, const char* right, const int* n, double* a, const int* lda,
            double* re, double* im, double* vl, const int* ldvl, double* vr, const int* ldvr,
            double* work, const int* lwork, int* info);
void dgesdd_(const char* job, const int* m, const int* n, double* a, const int* lda, double* s,
             double* u, const int* ldu, double* vt, const int* ldvt, double* work, const int* lwork,
             int* iwork, int* info);
// NOLINTEND(readability-identifier-naming)
}

namespace kette {
namespace {

/// call(work, its size, info): with a size of -1 it asks how much it wants.
template <class Call>
void with_workspace(const char* what, const Call& call) {
  double wanted = 0;
  int size = -1, info = 0;
  call(&wanted, &size, &info);
  std::vector<double> work(static_cast<std::size_t>(std::max(1.0, wanted)));
  size = static_cast<int>(work.size());
  if (info == 0) call(work.data(), &size, &info);
  KETTE_CHECK(info == 0, what, ": expected a matrix of finite numbers, given one that LAPACK ends ",
              "with error ", info, " on");
}

}  // namespace

DenseMatrix product(const DenseMatrix& a, const DenseMatrix& b) {
  KETTE_CHECK(a.columns == b.rows, "product: expected as many columns as rows, given ", a.columns,
              " and ", b.rows);
  DenseMatrix c(a.rows, b.columns);
  parallel_for(a.rows, 1, [&](std::int64_t row) {
    for (std::int64_t k = 0; k < a.columns; ++k) {
      const double factor = a(row, k);
      for (std::int64_t column = 0; column < b.columns; ++column) {
        c(row, column) += factor * b(k, column);
      }
    }
  });
  return c;
}

DenseMatrix transposed(const DenseMatrix& a) {
  DenseMatrix t(a.columns, a.rows);
  for (std::int64_t row = 0; row < a.rows; ++row) {
    for (std::int64_t column = 0; column < a.columns; ++column) t(column, row) = a(row, column);
  }
  return t;
}

double frobenius_norm(const DenseMatrix& a) {
  double squares = 0;
  for (const double value : a.values) squares += value * value;
  return std::sqrt(squares);
}

std::vector<std::complex<double>> eigenvalues(const DenseMatrix& a) {
  KETTE_CHECK(a.rows == a.columns, "eigenvalues: expected a square matrix, given ", a.rows, " x ",
              a.columns);
  std::vector<double> values = a.values;  // its transpose to LAPACK, of the same eigenvalues
  const int n = static_cast<int>(a.rows), one = 1;
  std::vector<double> re(a.rows), im(a.rows);
  with_workspace("eigenvalues", [&](double* work, int* size, int* info) {
    dgeev_("N", "N", &n, values.data(), &n, re.data(), im.data(), nullptr, &one, nullptr, &one,
           work, size, info);
  });
  std::vector<std::complex<double>> result;
  for (int i = 0; i < n; ++i) result.emplace_back(re[i], im[i]);
  return result;
}

std::vector<double> singular_values(const DenseMatrix& a) {
  std::vector<double> values = a.values;  // as above
  const int m = static_cast<int>(a.columns), n = static_cast<int>(a.rows), one = 1;
  std::vector<double> result(static_cast<std::size_t>(std::min(m, n)));
  std::vector<int> integers(8 * result.size());
  with_workspace("singular values", [&](double* work, int* size, int* info) {
    dgesdd_("N", &m, &n, values.data(), &m, result.data(), nullptr, &one, nullptr, &one, work, size,
            integers.data(), info);
  });
  return result;
}

}  // namespace kette
