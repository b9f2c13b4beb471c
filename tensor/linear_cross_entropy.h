// The arguments of kernels::linear_cross_entropy(), and what it counts.
#pragma once

#include <cstdint>
#include <optional>

#include "tensor/scalar.h"
#include "tensor/tensor.h"

namespace kette {

/// What consistency training adds for a token that is read in two ways, with distributions p and q:
///   cross entropy of p + second * that of q + forward * KL(p || q) + reverse * KL(q || p)
/// R-Drop (Wu et al. 2021, section 2.2), two dropouts of one input: second 1, forward = reverse = alpha / 2.
/// SimCut (Gao et al. 2022, section 3), the input and one with holes: second 0, forward alpha, reverse 0.
struct TwoViews {
  double forward = 0, reverse = 0, second = 1;
};

/// Label-smoothed cross entropy of a vocabulary projection, in chunks of rows, so that [rows,
/// vocabulary] never exists whole. z = x W^T + bias; target distribution q = (1 - smoothing) at the
/// target, plus smoothing / vocabulary everywhere (Szegedy et al. 2016, section 7; Vaswani et al.
/// 2017, section 5.4).
///   loss = sum over rows of -sum_v q_v log softmax(z)_v
/// When gradients are asked for they are taken in the same pass, times `gradient_scale`. Of bf16 operands
/// a CPU's logits are f32, those of a GPU are rounded to bf16, by which their losses differ.
///
/// With `views` the rows are two views of the same tokens, row i and row i + rows / 2, of whose distributions
/// p and q the loss also has how far they are apart; see TwoViews.
struct LinearCrossEntropyArgs {
  Tensor x, weight, bias;  ///< [rows, width], [vocabulary, width], [vocabulary] or undefined
  Tensor targets;          ///< i32 [rows]; of two views the second's are those of the first
  double smoothing = 0;
  double gradient_scale = 1;
  std::optional<TwoViews> views;
  Tensor sums;  ///< f64 [3], added to; read by CrossEntropySums::of()
  Tensor loss;  ///< f64, one element: loss * gradient_scale, overwritten; may be undefined
  Tensor dx;    ///< overwritten; undefined: no gradients
  Tensor dweight, dbias;  ///< added to; f32 beside bf16

  /// The same of rows [begin, begin + count) alone.
  LinearCrossEntropyArgs rows(std::int64_t begin, std::int64_t count) const;
  /// Tokens: rows, or half of them where each comes twice.
  std::int64_t tokens() const { return views ? x.rows() / 2 : x.rows(); }
  void check() const;  ///< an Error unless shapes and types fit together
};

/// What LinearCrossEntropyArgs::sums holds, in this order.
struct CrossEntropySums {
  double loss = 0;  ///< the smoothed loss, with how far two views are apart
  double negative_log_likelihood =
      0;               ///< without smoothing, for perplexity; of two views the first
  double correct = 0;  ///< tokens whose likeliest entry is the target; likewise

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

/// Those of one row of logits z. total: the sum of exp(z - scan.peak). `scan` knows of the logits also the
/// sum, the one that is wanted and whether that is the likeliest.
template <class Scan>
KETTE_HOST_DEVICE CrossEntropySums losses_of_row(const Scan& scan, double total,
                                                 std::int64_t vocabulary, double smoothing) {
  const double log_total = static_cast<double>(scan.peak) + scalar::log(total);
  const double likelihood = log_total - static_cast<double>(scan.wanted);
  const double mean = log_total - static_cast<double>(scan.sum) / static_cast<double>(vocabulary);
  return {(1 - smoothing) * likelihood + smoothing * mean, likelihood, scan.correct ? 1.0 : 0.0};
}

}  // namespace kette
