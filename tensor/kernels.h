// Every kernel, declared once for all devices. An execution tag picks the overload:
//   on(x.device(), [&](auto exec) { kernels::matmul(exec, args); });
// A build that lacks a device's overload fails to link with the kernel's name. Outputs are
// allocated by the caller. Every result is the same for any number of threads. A CUDA kernel is
// queued and runs later; kernels that return a number to the host wait for it.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "tensor/attention_pattern.h"
#include "tensor/decoding.h"
#include "tensor/elementwise.h"
#include "tensor/linear_attention.h"
#include "tensor/linear_attention_step.h"
#include "tensor/linear_cross_entropy.h"
#include "tensor/occurrences.h"
#include "tensor/random.h"
#include "tensor/rows/all.h"
#include "tensor/segments.h"
#include "tensor/tensor.h"

namespace kette {

struct CpuExec {};
struct CudaExec {
  int device = 0;
};

/// Calls function(exec) with the execution tag of the device.
template <class Function>
decltype(auto) on(Device device, Function&& function) {
#if KETTE_CUDA
  if (device.kind == DeviceKind::cuda) return function(CudaExec{device.index});
#endif
  KETTE_CHECK(device.kind == DeviceKind::cpu,
              "device: expected cpu (this build has no CUDA), given ", device.str());
  return function(CpuExec{});
}

/// A factor of a matrix product: the rows of a tensor of any rank, or some of their columns, optionally transposed.
class Matrix {
 public:
  Matrix(const Tensor& rows)  // NOLINT(google-explicit-constructor)
      : rows_(rows), width_(rows.width()) {}

  Matrix columns(std::int64_t begin, std::int64_t count) const;
  Matrix transposed() const;

  DType dtype() const { return rows_.dtype(); }
  Device device() const { return rows_.device(); }
  std::int64_t height() const { return is_transposed_ ? width_ : rows_.rows(); }
  std::int64_t width() const { return is_transposed_ ? rows_.rows() : width_; }
  void* data() const;
  std::int64_t leading_dimension() const { return rows_.width(); }
  bool is_transposed() const { return is_transposed_; }

 private:
  Tensor rows_;
  std::int64_t first_ = 0, width_;  // columns
  bool is_transposed_ = false;
};

/// C = activation(alpha * op(A) op(B) + beta * C + bias), for `batch` matrices.
/// op(A): [m, k], op(B): [k, n], C: [m, n], row-major; leading dimensions and strides in elements.
struct MatmulArgs {
  DType dtype = DType::f32;
  bool wide_result = false;  ///< C has compute_dtype(dtype), for sums; then no epilogue
  const void* a = nullptr;
  const void* b = nullptr;
  void* c = nullptr;
  std::int64_t m = 0, n = 0, k = 0;
  std::int64_t lda = 0, ldb = 0, ldc = 0;
  bool transpose_a = false, transpose_b = false;
  double alpha = 1, beta = 0;
  std::int64_t batch = 1, batch_stride_a = 0, batch_stride_b = 0, batch_stride_c = 0;
  const void* bias = nullptr;                ///< [n], added to each row
  Activation activation = Activation::none;  ///< applied last
  void* pre_activation = nullptr;  ///< if set, [m, n] with ldc: the value before the activation

  // For a backward pass, with batch = 1.
  /// If set, [m, n] with ldc, what the activation saved (see activation_backward): C is
  /// (alpha * op(A) op(B)) * activation'(...), with neither bias nor beta.
  const void* kept = nullptr;
  void* column_sums = nullptr;  ///< [n] in compute_dtype(dtype): += the sums of C's columns
  void* a_row_sums = nullptr;   ///< [m], likewise += the sums of op(A)'s rows; A must be transposed
  bool sums_are_zero = false;   ///< both are zero so far, so they may be overwritten

  /// C = alpha * A B + beta * C.
  static MatmulArgs of(const Matrix& c, const Matrix& a, const Matrix& b, double alpha = 1,
                       double beta = 0);
  DType result_dtype() const { return wide_result ? compute_dtype(dtype) : dtype; }
  void check() const;  ///< an Error unless every device can take them; counts the FLOPs
};

/// softmax(scale * Q K^T) V per sequence and head, Vaswani et al. 2017, equation (1). A pointer
/// points at the first head; row r, head h, element e is at r * stride + h * head_width + e, so
/// that a fused [rows, 3 * width] projection needs no copy. There is one head of keys and values
/// for each group of the pattern. Sequence i of the queries attends to sequence i of the keys.
struct AttentionArgs {
  DType dtype = DType::f32;
  const void *query = nullptr, *key = nullptr, *value = nullptr;
  void* output = nullptr;       ///< kept for backward, too
  void* log_sum_exp = nullptr;  ///< [heads, query rows], f32 (f64 for f64), kept for backward
  std::int64_t query_stride = 0, key_stride = 0, value_stride = 0, output_stride = 0;
  std::int64_t heads = 0, head_width = 0;
  double scale = 1;
  AttentionPattern pattern;
  /// For probabilities: row = head * query rows + query row, column = key in its sequence.
  DropoutMask dropout;
  std::int64_t dropout_width = 0;  ///< width of a mask row: the longest key sequence
  Segments query_segments, key_segments;

  void check() const;  ///< an Error unless they fit together; counts the FLOPs of Q K^T and P V
};

struct AttentionGradients {
  const void* output_gradient = nullptr;                    ///< laid out as output
  void *query = nullptr, *key = nullptr, *value = nullptr;  ///< laid out as the inputs; overwritten

  /// Checks the arguments; counts the FLOPs of five products (Q K^T is computed again).
  void check(const AttentionArgs& args) const;
};

/// Every optimiser clips the gradients and has decoupled weight decay (Loshchilov and Hutter 2019):
///   g = gradient * min(1, clip_norm / norm of all gradients)    (Pascanu et al. 2013)
///   p = p - lr (direction + decay p)
struct UpdateArgs {
  Tensor parameters, gradients;  ///< f32 or f64, flat, same size, as is the optimiser's state
  Tensor rounded;                ///< bf16, receives the new parameters; may be undefined
  Tensor squares;  ///< f64, one element: the squared gradient norm; undefined: no clipping
  double lr = 0, weight_decay = 0, clip_norm = 0;
  std::int64_t decayed = 0;  ///< weight decay applies to this many elements, from the first
  std::int64_t step = 1;     ///< t, from 1
};

/// Adam (Kingma and Ba 2015, algorithm 1):
///   m = beta1 m + (1 - beta1) g,   v = beta2 v + (1 - beta2) g^2
///   direction = m / (1 - beta1^t) / (sqrt(v / (1 - beta2^t)) + epsilon)
struct AdamArgs {
  UpdateArgs update;
  Tensor first_moment, second_moment;
  double beta1 = 0, beta2 = 0, epsilon = 0;
};

/// Lion (Chen et al. 2023, algorithm 2):
///   direction = sign(beta1 m + (1 - beta1) g),   then m = beta2 m + (1 - beta2) g
/// sign(0) = 0 and sign(NaN) = NaN.
struct LionArgs {
  UpdateArgs update;
  Tensor moment;
  double beta1 = 0, beta2 = 0;
};

inline constexpr std::int64_t kSquaresBlock = 4096;

/// A kernel, or a template of kernels over T, for every device.
#define KETTE_KERNEL(Result, name, ...) \
  Result name(CpuExec, __VA_ARGS__);    \
  Result name(CudaExec, __VA_ARGS__)
#define KETTE_KERNEL_TEMPLATE(T, name, ...) \
  template <class T>                        \
  void name(CpuExec, __VA_ARGS__);          \
  template <class T>                        \
  void name(CudaExec, __VA_ARGS__)

namespace kernels {

KETTE_KERNEL(void, fill, const Tensor& y, double value);
KETTE_KERNEL(void, cast, const Tensor& x, const Tensor& y);
/// y += x, same shape; one may be bf16 and the other f32.
KETTE_KERNEL(void, accumulate, const Tensor& x, const Tensor& y);
/// y *= factor, a tensor of one element; y is not touched if the factor is 1.
KETTE_KERNEL(void, scale, const Tensor& y, const Tensor& factor);
/// y += 1 for i32: for counters on a device.
KETTE_KERNEL(void, increment, const Tensor& y);
/// Sum of x over the axes in which y has extent 1 (or lacks): undoes a broadcast.
KETTE_KERNEL(void, sum_to, const Tensor& x, const Tensor& y);
/// The largest entry of each row and its column (ties: the first).
KETTE_KERNEL(void, max_last, const Tensor& x, const Tensor& y, const Tensor& columns);
/// sums: f64, one per block of kSquaresBlock elements of x (the last may be shorter): the sum of their squares.
KETTE_KERNEL(void, squares_of_blocks, const Tensor& x, const Tensor& sums);
/// sum: f64, one element: the total of those sums, added in an order that the shapes fix.
KETTE_KERNEL(void, sum_of_blocks, const Tensor& sums, const Tensor& sum);
/// Flat index of the first NaN or infinity.
KETTE_KERNEL(std::optional<std::int64_t>, first_non_finite, const Tensor& x);

KETTE_KERNEL_TEMPLATE(Function, unary, Function, const Tensor& x, const Tensor& y);
KETTE_KERNEL_TEMPLATE(Function, unary_backward, Function, const Tensor& x, const Tensor& y,
                      const Tensor& dy, const Tensor& dx);
KETTE_KERNEL_TEMPLATE(Function, binary, Function, const Tensor& a, const Tensor& b,
                      const Tensor& y);
/// da and db have y's shape (sum_to undoes the broadcast); an undefined one is not computed.
KETTE_KERNEL_TEMPLATE(Function, binary_backward, Function, const Tensor& a, const Tensor& b,
                      const Tensor& y, const Tensor& dy, const Tensor& da, const Tensor& db);

/// Runs a row body of rows/all.h over `rows` rows.
KETTE_KERNEL_TEMPLATE(Body, for_rows, const Body& body, std::int64_t rows);
/// Likewise for a body with Body::kSums sums over all rows: they are added to that many tensors
/// [width] of its compute_dtype().
KETTE_KERNEL_TEMPLATE(Body, for_rows_with_sums, const Body& body, std::int64_t rows,
                      const Tensor* const* sums);

KETTE_KERNEL(void, matmul, const MatmulArgs& args);
/// Whether f32 products may round their operands to TF32 (10 bits of mantissa), which tensor cores
/// multiply several times as fast. Off by default.
void allow_tf32(CudaExec, bool allow);
/// y[j] += sum over rows of x[row, j]; y has x's compute_dtype().
KETTE_KERNEL(void, add_rows, const Tensor& x, const Tensor& y);
/// dx = dy * activation'(...), in place if dx is dy; `saved` is y for relu, the pre-activation otherwise.
KETTE_KERNEL(void, activation_backward, Activation activation, const Tensor& saved,
             const Tensor& dy, const Tensor& dx);
/// [batch, rows, columns] to [batch, columns, rows].
KETTE_KERNEL(void, transpose, const Tensor& x, const Tensor& y, std::int64_t batch,
             std::int64_t rows, std::int64_t columns);
/// table[entry] += scale * the sum of dy[row] over the rows that the entry occurs in; table has dy's compute_dtype().
KETTE_KERNEL(void, scatter_add, const Tensor& dy, const Occurrences& occurrences,
             const Tensor& table, double scale);
KETTE_KERNEL(void, attention, const AttentionArgs& args);
KETTE_KERNEL(void, attention_backward, const AttentionArgs& args,
             const AttentionGradients& gradients);
KETTE_KERNEL(void, linear_attention, const LinearAttentionArgs& args);
KETTE_KERNEL(void, linear_attention_backward, const LinearAttentionArgs& args,
             const LinearAttentionGradients& gradients);
KETTE_KERNEL(void, linear_cross_entropy, const LinearCrossEntropyArgs& args);
KETTE_KERNEL(void, adam, const AdamArgs& args);
KETTE_KERNEL(void, lion, const LionArgs& args);

// Decoding; the arguments are in tensor/decoding.h.
/// matrix: [out, in], rounded to the type of the panels: f32, bf16 or, on a CPU, int8. bias: [out] or undefined.
KETTE_KERNEL(PrepackedWeight, prepack_linear, const Tensor& matrix, const Tensor& bias,
             DType panels = DType::f32);
KETTE_KERNEL(void, prepacked_linear, const PrepackedLinearArgs& args);
KETTE_KERNEL(void, cached_attention, const CachedAttentionArgs& args);
KETTE_KERNEL(void, linear_attention_step, const LinearStepArgs& args);
KETTE_KERNEL(void, top_k, const TopKArgs& args);
/// On CUDA it neither copies nor waits, so that a CUDA graph can contain it.
KETTE_KERNEL(void, sample, const SampleArgs& args);

}  // namespace kernels

#undef KETTE_KERNEL
#undef KETTE_KERNEL_TEMPLATE

}  // namespace kette
