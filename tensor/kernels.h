// Every kernel, one declaration per device. An execution tag picks the overload:
//   on(x.device(), [&](auto exec) { kernels::matmul(exec, args); });
// A device adds its tag and one overload per kernel; a build that lacks one fails to link with the
// kernel's name. Outputs are allocated by the caller. Every result is the same for any number of
// threads.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "tensor/decoding.h"
#include "tensor/elementwise.h"
#include "tensor/random.h"
#include "tensor/rows/all.h"
#include "tensor/segments.h"
#include "tensor/tensor.h"

namespace kette {

struct CpuExec {};

/// Calls function(exec) with the execution tag of the device.
template <class Function>
decltype(auto) on(Device device, Function&& function) {
  KETTE_CHECK(device.kind == DeviceKind::cpu,
              "device: expected cpu (this build has no CUDA), given ", device.str());
  return function(CpuExec{});
}

/// C = activation(alpha * op(A) op(B) + beta * C + bias), for `batch` matrices.
/// op(A): [m, k], op(B): [k, n], C: [m, n], row-major, with leading dimensions and batch strides in
/// elements.
struct MatmulArgs {
  DType dtype = DType::f32;
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
};

enum class Mask : std::uint8_t { none, causal };

/// softmax(scale * Q K^T) V per sequence and head, Vaswani et al. 2017, equation (1). A pointer
/// starts at the first head; row r, head h, element e lies at r * stride + h * head_width + e, so
/// that a fused [rows, 3 * width] projection needs no copy. Sequence i of the queries attends to
/// sequence i of the keys. With Mask::causal the last query sees the last key: query t sees keys up
/// to t + keys - queries.
struct AttentionArgs {
  DType dtype = DType::f32;
  const void *query = nullptr, *key = nullptr, *value = nullptr;
  void* output = nullptr;
  void* log_sum_exp =
      nullptr;  ///< [heads, query rows], f32 (f64 for f64): all that backward needs kept
  std::int64_t query_stride = 0, key_stride = 0, value_stride = 0, output_stride = 0;
  std::int64_t heads = 0, head_width = 0;
  double scale = 1;
  Mask mask = Mask::none;
  DropoutMask dropout;  ///< of the probabilities; row = head * query rows + query row, column = key
                        ///< within the sequence
  std::int64_t dropout_width =
      0;  ///< the row width the mask is drawn with: the longest key sequence
  Segments query_segments, key_segments;
};

struct AttentionGradients {
  const void* output_gradient = nullptr;                    ///< laid out as output
  void *query = nullptr, *key = nullptr, *value = nullptr;  ///< laid out as the inputs; overwritten
};

/// Label-smoothed cross entropy of a vocabulary projection, in chunks of rows, so that [rows,
/// vocabulary] never exists whole. z = x W^T + bias; target distribution q = (1 - smoothing) at the
/// target, plus smoothing / vocabulary everywhere (Szegedy et al. 2016, section 7; Vaswani et al.
/// 2017, section 5.4).
///   loss = sum over rows of -sum_v q_v log softmax(z)_v
/// When gradients are asked for they are taken in the same pass, times `gradient_scale`.
struct ProjectedCrossEntropyArgs {
  Tensor x, weight, bias;  ///< [rows, width], [vocabulary, width], [vocabulary] or undefined
  Tensor targets;          ///< i32 [rows]
  double smoothing = 0;
  double gradient_scale = 1;
  Tensor sums;            ///< f64 [3], added to; read by CrossEntropySums::of()
  Tensor dx;              ///< overwritten; undefined: no gradients
  Tensor dweight, dbias;  ///< added to
};

/// What ProjectedCrossEntropyArgs::sums holds, in this order, once somebody wants to see it.
struct CrossEntropySums {
  double loss = 0;                     ///< the smoothed loss
  double negative_log_likelihood = 0;  ///< without smoothing, for perplexity
  double correct = 0;                  ///< rows whose likeliest entry is the target

  static Tensor zeros(Device device) { return Tensor::zeros({3}, DType::f64, device); }
  static CrossEntropySums of(const Tensor& sums) {
    const auto values = sums.values<double>();
    return {values[0], values[1], values[2]};
  }
  CrossEntropySums& operator+=(const CrossEntropySums& more) {
    loss += more.loss;
    negative_log_likelihood += more.negative_log_likelihood;
    correct += more.correct;
    return *this;
  }
};

/// One step of Adam (Kingma and Ba 2015, algorithm 1) with decoupled decay (Loshchilov and Hutter
/// 2019):
///   g = gradient_scale * gradient
///   m = beta1 m + (1 - beta1) g,   v = beta2 v + (1 - beta2) g^2
///   p = p - lr (m / (1 - beta1^t) / (sqrt(v / (1 - beta2^t)) + epsilon) + decay p)
struct AdamArgs {
  Tensor parameters, gradients, first_moment, second_moment;  ///< f32 or f64, flat, same size
  double lr = 0, beta1 = 0.9, beta2 = 0.98, epsilon = 1e-9, weight_decay = 0, gradient_scale = 1;
  std::int64_t step = 1;  ///< t, from 1
};

namespace kernels {

void fill(CpuExec, const Tensor& y, double value);
void cast(CpuExec, const Tensor& x, const Tensor& y);
/// y += x, same shape and dtype.
void accumulate(CpuExec, const Tensor& x, const Tensor& y);
/// y *= factor, a tensor of one element; y is not touched when that is 1.
void scale(CpuExec, const Tensor& y, const Tensor& factor);
/// Sum of x over the axes in which y has extent 1 (or lacks): undoes a broadcast.
void sum_to(CpuExec, const Tensor& x, const Tensor& y);
/// Largest entry of each row and the column it stands in (the first of equals).
void max_last(CpuExec, const Tensor& x, const Tensor& y, const Tensor& columns);
double sum_of_squares(CpuExec, const Tensor& x);
/// Flat index of the first NaN or infinity.
std::optional<std::int64_t> first_non_finite(CpuExec, const Tensor& x);

template <class Function>
void unary(CpuExec, Function, const Tensor& x, const Tensor& y);
template <class Function>
void unary_backward(CpuExec, Function, const Tensor& x, const Tensor& y, const Tensor& dy,
                    const Tensor& dx);
template <class Function>
void binary(CpuExec, Function, const Tensor& a, const Tensor& b, const Tensor& y);
/// da and db have y's shape (sum_to undoes the broadcast); an undefined one is not computed.
template <class Function>
void binary_backward(CpuExec, Function, const Tensor& a, const Tensor& b, const Tensor& y,
                     const Tensor& dy, const Tensor& da, const Tensor& db);

/// Runs a row body of rows/all.h over `rows` rows.
template <class Body>
void for_rows(CpuExec, const Body& body, std::int64_t rows);
/// Likewise, and while a row is at hand, before the body may overwrite it, adds the columns' terms
/// to their sums over all rows, tensors [width].
template <class Body, class Columns>
void for_rows_with_sums(CpuExec, const Body& body, const Columns& columns, std::int64_t rows,
                        const Tensor* const* sums);

void matmul(CpuExec, const MatmulArgs& args);
/// y[j] += sum over rows of x[row, j].
void add_rows(CpuExec, const Tensor& x, const Tensor& y);
/// dx = dy * activation'(...), in place if dx is dy; `saved` is y for relu, the pre-activation
/// otherwise.
void activation_backward(CpuExec, Activation activation, const Tensor& saved, const Tensor& dy,
                         const Tensor& dx);
/// [batch, rows, columns] to [batch, columns, rows].
void transpose(CpuExec, const Tensor& x, const Tensor& y, std::int64_t batch, std::int64_t rows,
               std::int64_t columns);
/// table[ids[row]] += scale * dy[row], in row order for each entry.
void scatter_add(CpuExec, const Tensor& dy, const Tensor& ids, const Tensor& table, double scale);
void attention(CpuExec, const AttentionArgs& args);
void attention_backward(CpuExec, const AttentionArgs& args, const AttentionGradients& gradients);
void projected_cross_entropy(CpuExec, const ProjectedCrossEntropyArgs& args);
void adam(CpuExec, const AdamArgs& args);

// Decoding; the arguments stand in tensor/decoding.h.
/// The matrices, each [out, in], are stacked; biases: as many vectors [out], or none.
PackedWeight pack_linear(CpuExec, const std::vector<Tensor>& matrices,
                         const std::vector<Tensor>& biases);
void packed_linear(CpuExec, const PackedLinearArgs& args);
void memory_attention(CpuExec, const MemoryAttentionArgs& args);
void cached_attention(CpuExec, const CachedAttentionArgs& args);
void top_entries(CpuExec, const TopEntriesArgs& args);

}  // namespace kernels
}  // namespace kette
