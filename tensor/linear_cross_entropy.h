// Arguments of kernels::linear_cross_entropy() and the sums that it returns.
#pragma once

#include <cstdint>
#include <optional>

#include "tensor/scalar.h"
#include "tensor/tensor.h"

namespace kette {

/// The loss of consistency training for a token that the model reads twice, with distributions p
/// and q:
///   cross entropy of p + second * that of q + forward * KL(p || q) + reverse * KL(q || p)
/// R-Drop (Wu et al. 2021, section 2.2), one input with two dropout masks: second 1,
/// forward = reverse = alpha / 2.
/// SimCut (Gao et al. 2022, section 3), the input and the input with parts cut out: second 0,
/// forward alpha, reverse 0.
struct TwoViews {
  double forward = 0, reverse = 0, second = 1;
};

/// Label-smoothed cross entropy of a vocabulary projection, in chunks of rows, so that the logits
/// [rows, vocabulary] never exist as a whole. z = x W^T + bias; target distribution
/// q = (1 - smoothing) at the target, plus smoothing / vocabulary everywhere (Szegedy et al. 2016,
/// section 7; Vaswani et al. 2017, section 5.4).
///   loss = sum over rows of -sum_v q_v log softmax(z)_v
/// If gradients are asked for, they are computed in the same pass, times `gradient_scale`. With
/// bf16 operands the logits are f32 on a CPU but rounded to bf16 on a GPU, so the losses differ
/// slightly.
///
/// With `views`, rows i and i + rows / 2 are two views of the same token, and the loss also has the
/// divergence of their distributions; see TwoViews.
struct LinearCrossEntropyArgs {
  Tensor x, weight, bias;  ///< [rows, width], [vocabulary, width], [vocabulary] or undefined
  Tensor targets;          ///< i32 [rows]; with two views both halves are equal
  double smoothing = 0;
  double gradient_scale = 1;
  std::optional<TwoViews> views;
  Tensor sums;  ///< f64 [3], added to; read by CrossEntropySums::of()
  Tensor loss;  ///< f64, one element: loss * gradient_scale, overwritten; may be undefined
  Tensor dx;    ///< overwritten; undefined: no gradients
  Tensor dweight, dbias;  ///< added to; f32 if x is bf16

  /// The same for rows [begin, begin + count) only.
  LinearCrossEntropyArgs rows(std::int64_t begin, std::int64_t count) const;
  /// The number of tokens: rows, or rows / 2 with two views.
  std::int64_t tokens() const { return views ? x.rows() / 2 : x.rows(); }
  void check() const;  ///< an Error unless shapes and types fit together
  /// An Error unless the targets, in host memory, are in the vocabulary, and with two views those of
  /// both are equal.
  void check_targets() const;
};

/// What LinearCrossEntropyArgs::sums holds, in this order.
struct CrossEntropySums {
  double loss = 0;                     ///< the smoothed loss, with the divergence of two views
  double negative_log_likelihood = 0;  ///< unsmoothed, for perplexity; first view only
  double correct = 0;  ///< tokens whose likeliest entry is the target; first view only

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

/// The sums of one row of logits z. total: the sum of exp(z - scan.peak). `scan` also has the sum
/// of the logits, the target's logit, and whether the target is the likeliest.
template <class Scan>
KETTE_HOST_DEVICE CrossEntropySums losses_of_row(const Scan& scan, double total,
                                                 std::int64_t vocabulary, double smoothing) {
  const double log_total = static_cast<double>(scan.peak) + scalar::log(total);
  const double likelihood = log_total - static_cast<double>(scan.wanted);
  const double mean = log_total - static_cast<double>(scan.sum) / static_cast<double>(vocabulary);
  // What has no share is left out: it may be infinite, and 0 times that is no number.
  const double loss = smoothing == 0   ? likelihood
                      : smoothing == 1 ? mean
                                       : (1 - smoothing) * likelihood + smoothing * mean;
  return {loss, likelihood, scan.correct ? 1.0 : 0.0};
}

/// log p - log q, but 0 if both p and q are 0, which adds nothing to a divergence.
template <class T>
KETTE_HOST_DEVICE inline T log_ratio(T log_p, T log_q) {
  return log_p == log_q ? T(0) : log_p - log_q;
}

}  // namespace kette
