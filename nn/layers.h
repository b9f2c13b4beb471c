// The layers of the Transformer as values with a call operator: a layer is made in a Scope, where
// it registers its parameters, and applied to packed rows [rows, width].
#pragma once

#include "autograd/all_ops.h"
#include "nn/param_store.h"
#include "nn/run.h"

namespace kette {

/// y = activation(x W^T + b). weight: [out, in], bias: [out].
struct Linear {
  Variable weight, bias;
  Activation activation;

  /// `stacked`: how many independent maps of `out / stacked` rows are stacked in the weight (3 for
  /// query, key and value); each is initialised by its own fan-out.
  Linear(const Scope& scope, std::int64_t in, std::int64_t out,
         Activation activation = Activation::none, std::int64_t stacked = 1);
  Variable operator()(const Variable& x) const { return linear(x, weight, bias, activation); }
};

/// Ba et al. 2016. gain, bias: [width].
struct LayerNorm {
  Variable gain, bias;
  double epsilon;

  LayerNorm(const Scope& scope, std::int64_t width, double epsilon = 1e-5);
  Variable operator()(const Variable& x) const { return layer_norm(x, gain, bias, epsilon); }
  /// LayerNorm(x + Dropout(residual)) in one pass.
  Variable operator()(const Variable& x, const Variable& residual, const DropoutMask& mask) const {
    return residual_layer_norm(x, residual, gain, bias, mask, epsilon);
  }
};

/// Zhang and Sennrich 2019: layer norm without mean and bias. gain: [width].
struct RmsNorm {
  Variable gain;
  double epsilon;

  RmsNorm(const Scope& scope, std::int64_t width, double epsilon = 1e-5);
  Variable operator()(const Variable& x) const { return rms_norm(x, gain, epsilon); }
};

/// Tokens to vectors, multiplied by sqrt(width) (Vaswani et al. 2017, section 3.4). table:
/// [vocabulary, width].
struct Embedding {
  Variable table;
  double scale;

  Embedding(const Scope& scope, std::int64_t vocabulary, std::int64_t width);
  Variable operator()(const Tensor& ids) const { return embedding(table, ids, scale); }
};

/// PE(pos, 2i) = sin(pos / 10000^(2i / width)), PE(pos, 2i + 1) = cos(the same): the paper's
/// interleaved layout, section 3.5. Result: f32 [positions, width].
Tensor sinusoidal_positions(std::int64_t positions, std::int64_t width);

/// The row's position within its sequence, from `first`: i32 [rows].
Tensor row_positions(const Segments& segments, std::int64_t first = 0);

/// Multi-head attention, section 3.2.2: project, attend, project back. Self-attention projects
/// queries, keys and values in one product; cross-attention takes keys and values from the memory.
struct MultiHeadSelfAttention {
  Linear query_key_value, output;
  std::int64_t heads;
  Mask mask;
  double dropout_rate;

  MultiHeadSelfAttention(const Scope& scope, std::int64_t width, std::int64_t heads, Mask mask,
                         double dropout_rate);
  Variable operator()(const Variable& x, const Segments& segments, Run& run) const;
};

struct MultiHeadCrossAttention {
  Linear query, key_value, output;
  std::int64_t heads;
  double dropout_rate;

  MultiHeadCrossAttention(const Scope& scope, std::int64_t width, std::int64_t heads,
                          double dropout_rate);
  Variable operator()(const Variable& x, const Variable& memory, const Segments& segments,
                      const Segments& memory_segments, Run& run) const;
};

/// FFN(x) = activation(x W1 + b1) W2 + b2, equation (2).
struct FeedForward {
  Linear inner, outer;
  double dropout_rate;  ///< after the activation; the paper has none

  FeedForward(const Scope& scope, std::int64_t width, std::int64_t hidden, Activation activation,
              double dropout_rate);
  Variable operator()(const Variable& x, Run& run) const {
    return outer(dropout(inner(x), run.mask(dropout_rate)));
  }
};

/// FFN(x) = (silu(x W + b) * (x V + c)) W2 + b2, SwiGLU (Shazeer 2020, equation (6); biases as in
/// every linear map here). W and V are stacked in one product.
struct GatedFeedForward {
  Linear inner, outer;
  double dropout_rate;  ///< after the gate

  GatedFeedForward(const Scope& scope, std::int64_t width, std::int64_t hidden,
                   double dropout_rate);
  Variable operator()(const Variable& x, Run& run) const {
    return outer(dropout(swiglu(inner(x)), run.mask(dropout_rate)));
  }
};

enum class NormOrder : std::uint8_t { post, pre };

/// What surrounds every sub-layer. post: LayerNorm(x + Dropout(Sublayer(x))), the paper's
/// section 3.1. pre: x + Dropout(Sublayer(LayerNorm(x))), which needs a final norm after the stack
/// (Xiong et al. 2020).
struct Residual {
  LayerNorm norm;
  NormOrder order;
  double dropout_rate;

  Residual(const Scope& scope, std::int64_t width, NormOrder norm_order, double dropout)
      : norm(scope, width), order(norm_order), dropout_rate(dropout) {}

  template <class Sublayer>
  Variable operator()(const Variable& x, const Sublayer& sublayer, Run& run) const {
    if (order == NormOrder::post) {
      const Variable y = sublayer(x);
      return norm(x, y, run.mask(dropout_rate));
    }
    const Variable y = sublayer(norm(x));
    return x + dropout(y, run.mask(dropout_rate));
  }
};

}  // namespace kette
