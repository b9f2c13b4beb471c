// Linear attention (Katharopoulos et al. 2020, "Transformers are RNNs"): a query weighs the keys
// that it sees by phi(q) . phi(k), with phi(x) = elu(x) + 1 > 0 elementwise (equation (7)),
//   d_i = sum_j phi(q_i) . phi(k_j)      o_i = sum_j (phi(q_i) . phi(k_j)) v_j / d_i
// The sums over j are one matrix and one vector, the same for all queries. With a causal mask they
// are a state to which each key is added in turn (equations (18) to (20)),
//   S_t = S_(t-1) + phi(k_t) v_t^T, z_t = z_(t-1) + phi(k_t), o_t = phi(q_t) S_t / (phi(q_t) . z_t)
// so the cost of a token does not depend on its position. With o' the gradient of the output,
// e_i = [o'_i, -o'_i . o_i] / d_i and u_j = [v_j, 1], the gradients are sums of the same form:
//   phi(q_i)' = sum_(j seen by i) (e_i . u_j) phi(k_j)
//   phi(k_j)' = sum_(i that see j) (u_j . e_i) phi(q_i)
//        v_j' = sum_(i that see j) (phi(k_j) . phi(q_i)) e_i
// (the paper's equations (13) to (15), with the denominator's part added). All four are sums of
// (x_i . y_j) z_j over the rows before, or after, and are computed by chunks: within a chunk as a
// masked matrix product, and for the earlier chunks as x_i times the state, the sum of y_j^T z_j.
#pragma once

#include "tensor/attention_pattern.h"
#include "tensor/scalar.h"
#include "tensor/segments.h"

namespace kette {

/// Arguments of kernels::linear_attention. A pointer points at the first head; row r, head h,
/// element e is at r * stride + h * head_width + e. There is one head of keys and values for each
/// group of the pattern. Sums are in compute_dtype(dtype).
struct LinearAttentionArgs {
  DType dtype = DType::f32;
  const void *query = nullptr, *key = nullptr, *value = nullptr;
  void* output = nullptr;       ///< kept for backward, too
  void* denominator = nullptr;  ///< d, [heads, rows] in compute_dtype(dtype), likewise
  std::int64_t stride = 0;      ///< of queries, keys and values alike
  std::int64_t output_stride = 0;
  std::int64_t heads = 0, head_width = 0;
  AttentionPattern pattern;
  Segments segments;

  std::int64_t key_heads() const { return heads / pattern.group; }
  void check() const;  ///< an Error unless the pattern has linear weights; counts the FLOPs
};

struct LinearAttentionGradients {
  const void* output_gradient = nullptr;                    ///< laid out as output
  void *query = nullptr, *key = nullptr, *value = nullptr;  ///< laid out as the inputs; overwritten

  void check(const LinearAttentionArgs& args) const;  ///< checks args; counts the FLOPs
};

namespace linear_weights {

/// Added to d, as in the authors' program, to avoid a division by 0.
inline constexpr double kEpsilon = 1e-6;
/// Elements of a key head's state: S, [head width, head width], then z.
KETTE_HOST_DEVICE constexpr std::int64_t state_size(std::int64_t head_width) {
  return head_width * (head_width + 1);
}

/// elu(x) + 1: x + 1 above 0, exp(x) below.
template <class C>
KETTE_HOST_DEVICE C phi(C x) {
  return scalar::exp(x < C(0) ? x : C(0)) + (x > C(0) ? x : C(0));
}
/// Its derivative: 1 above 0, exp(x) below.
template <class C>
KETTE_HOST_DEVICE C phi_slope(C x) {
  return scalar::exp(x < C(0) ? x : C(0));
}

/// The factors of the sums: phi(q), phi(k), u and e.
enum class Factor : std::uint8_t { query, key, value, gradient };
enum class Result : std::uint8_t { output, query_gradient, key_gradient, value_gradient };
/// The rows j that row i sums over; i itself is always among them.
enum class Sight : std::uint8_t { before, after, all };

/// How a result is a sum of (x_i . y_j) z_j.
struct Sum {
  Factor x, y, z;
  Sight sight;  ///< with a causal mask

  KETTE_HOST_DEVICE constexpr explicit Sum(Result result)
      : x(Factor::query), y(Factor::key), z(Factor::value), sight(Sight::before) {
    if (result == Result::query_gradient) {
      x = Factor::gradient, y = Factor::value, z = Factor::key;
    } else if (result == Result::key_gradient) {
      x = Factor::value, y = Factor::gradient, z = Factor::query, sight = Sight::after;
    } else if (result == Result::value_gradient) {
      x = Factor::key, y = Factor::query, z = Factor::gradient, sight = Sight::after;
    }
  }
  /// u and e have one element more than a head.
  KETTE_HOST_DEVICE constexpr int extra_width() const {
    return x == Factor::gradient || x == Factor::value ? 1 : 0;
  }
};

/// One head, from some row on.
template <class T>
struct Head {
  const T *query, *key, *value, *output, *output_gradient;
  Compute<T>* denominator;
  std::int64_t stride, output_stride, rows, width, group;

  explicit Head(const LinearAttentionArgs& args, const void* gradient = nullptr)
      : query(static_cast<const T*>(args.query)),
        key(static_cast<const T*>(args.key)),
        value(static_cast<const T*>(args.value)),
        output(static_cast<const T*>(args.output)),
        output_gradient(static_cast<const T*>(gradient)),
        denominator(static_cast<Compute<T>*>(args.denominator)),
        stride(args.stride),
        output_stride(args.output_stride),
        rows(args.segments.rows()),
        width(args.head_width),
        group(args.pattern.group) {}

  /// Called on the first head at row 0: another head, from another row on.
  KETTE_HOST_DEVICE Head at(std::int64_t head, std::int64_t row) const {
    Head other = *this;
    other.query += row * stride + head * width;
    other.key += row * stride + head / group * width;
    other.value += row * stride + head / group * width;
    other.output += row * output_stride + head * width;
    if (output_gradient) other.output_gradient += row * output_stride + head * width;
    other.denominator += head * rows + row;
    return other;
  }
  KETTE_HOST_DEVICE const T* row(Factor factor, std::int64_t i) const {
    if (factor == Factor::query) return query + i * stride;
    if (factor == Factor::key) return key + i * stride;
    if (factor == Factor::value) return value + i * stride;
    return output_gradient + i * output_stride;
  }
};

}  // namespace linear_weights

}  // namespace kette
