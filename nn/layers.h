// The layers of the Transformer as values with a call operator: a layer is made in a Scope, where
// it registers its parameters, and applied to packed rows [rows, width].
#pragma once

#include <array>
#include <optional>

#include "autograd/all_ops.h"
#include "nn/param_store.h"
#include "nn/run.h"

namespace kette {

/// How the matrices of a sub-layer start: after Glorot (the default), or normal with one deviation,
/// and with another where the sub-layer writes to the residual stream (Radford et al. 2019,
/// section 2.3).
struct WeightInit {
  double deviation = 0, output_deviation = 0;  ///< 0: Glorot
};

/// Low-rank adapters of a linear map: row blocks of W have B A, times `scale`, added to them (Hu et
/// al. 2021). down, up: A and B of autograd/ops/lora.h.
struct LoraAdapter {
  Variable down, up;
  std::vector<RowBlock> blocks;
  double scale = 1;
};

/// y = activation(x W^T + b). weight: [out, in], bias: [out].
struct Linear {
  Variable weight, bias;
  Activation activation;
  std::optional<LoraAdapter> adapter;  ///< while fine-tuning

  /// `stacked`: how many independent maps of `out / stacked` rows are stacked in the weight (3 for
  /// query, key and value); each is initialised by its own fan-out. deviation: of normal initial
  /// weights; 0: Glorot.
  Linear(const Scope& scope, std::int64_t in, std::int64_t out,
         Activation activation = Activation::none, std::int64_t stacked = 1, double deviation = 0);
  Variable operator()(const Variable& x) const;
  /// The weight, or in f32 the one weight that does what it does together with its adapter.
  Tensor merged_weight() const;
};

enum class NormKind : std::uint8_t {
  layer,  ///< Ba et al. 2016
  rms     ///< without mean and bias, Zhang and Sennrich 2019
};

/// gain, bias: [width]; rms has no bias.
struct Norm {
  Variable gain, bias;
  NormKind kind;
  double epsilon;

  Norm(const Scope& scope, std::int64_t width, NormKind kind = NormKind::layer,
       double epsilon = 1e-5);
  Variable operator()(const Variable& x) const {
    return kind == NormKind::layer ? layer_norm(x, gain, bias, epsilon)
                                   : rms_norm(x, gain, epsilon);
  }
  /// The sum x + Dropout(update) and the norm of it, a layer norm in one pass.
  std::array<Variable, 2> operator()(const Variable& x, const Variable& update,
                                     const DropoutMask& mask) const {
    if (kind == NormKind::layer) return residual_layer_norm(x, update, gain, bias, mask, epsilon);
    const Variable sum = x + dropout(update, mask);
    return {sum, rms_norm(sum, gain, epsilon)};
  }
};

/// Tokens to vectors: scale * table[id]. table: [vocabulary, width].
struct Embedding {
  Variable table;
  double scale;

  Embedding(const Scope& scope, std::int64_t vocabulary, std::int64_t width, double deviation,
            double scale = 1);
  /// Multiplied by sqrt(width) (Vaswani et al. 2017, section 3.4).
  static Embedding scaled(const Scope& scope, std::int64_t vocabulary, std::int64_t width);
  Variable operator()(const Tensor& ids) const { return embedding(table, ids, scale); }
};

/// Which columns the sines and the cosines of a frequency are in.
enum class SinusoidLayout : std::uint8_t {
  interleaved,  ///< 2i and 2i + 1, the paper's section 3.5
  concatenated  ///< i and ceil(width / 2) + i, as in Marian and in the paper's own code
};

/// sin(pos / 10000^(2i / width)) and cos(the same), section 3.5. Result: f32 [positions, width].
Tensor sinusoidal_positions(std::int64_t positions, std::int64_t width,
                            SinusoidLayout layout = SinusoidLayout::interleaved);
/// Column j of the concatenated layout is column order[j] of the interleaved one.
std::vector<std::int64_t> concatenated_order(std::int64_t width);

/// The row's position within its sequence, from `first`: i32 [rows].
Tensor row_positions(const Segments& segments, std::int64_t first = 0);

/// Positions as turns of queries and keys (autograd/ops/rotary.h).
struct Rotation {
  Tensor table;      ///< rotary_table()
  Tensor positions;  ///< i32 [rows]
};

/// Multi-head attention, section 3.2.2: project, attend, project back. Self-attention projects
/// queries, keys and values in one product; cross-attention takes keys and values from the memory.
struct MultiHeadSelfAttention {
  Linear query_key_value, output;
  std::int64_t heads;
  Mask mask;
  double dropout_rate;

  MultiHeadSelfAttention(const Scope& scope, std::int64_t width, std::int64_t heads, Mask mask,
                         double dropout_rate, const WeightInit& init = {});
  Variable operator()(const Variable& x, const Segments& segments, Run& run,
                      const Rotation* rotation = nullptr) const;
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

/// FFN(x) = activation(x W1 + b1) W2 + b2, equation (2); or with a gate
/// FFN(x) = (silu(x W + b) * (x V + c)) W2 + b2, SwiGLU (Shazeer 2020, equation (6); biases as in
/// every linear map here), with W and V stacked in one product.
struct FeedForward {
  Linear inner, outer;
  bool gated;
  double dropout_rate;  ///< after the activation; the paper has none

  FeedForward(const Scope& scope, std::int64_t width, std::int64_t hidden, Activation activation,
              double dropout_rate, const WeightInit& init = {});
  static FeedForward swiglu(const Scope& scope, std::int64_t width, std::int64_t hidden,
                            double dropout_rate, const WeightInit& init = {});
  Variable operator()(const Variable& x, Run& run) const;

 private:
  FeedForward(Linear inner_map, Linear outer_map, bool is_gated, double rate)
      : inner(std::move(inner_map)),
        outer(std::move(outer_map)),
        gated(is_gated),
        dropout_rate(rate) {}
};

enum class NormOrder : std::uint8_t { post, pre };

/// What goes from sub-layer to sub-layer: x + Dropout(update). The sum is left to the norm that comes
/// next, which has the row at hand anyway.
struct ResidualStream {
  Variable x;
  std::optional<Variable> update;
  DropoutMask mask{};

  ResidualStream(Variable value)  // NOLINT(google-explicit-constructor): a stream to start with
      : x(std::move(value)) {}
  ResidualStream(Variable value, Variable added, const DropoutMask& dropped)
      : x(std::move(value)), update(std::move(added)), mask(dropped) {}

  Variable sum() const { return update ? x + dropout(*update, mask) : x; }
  /// The sum, and the norm of it.
  std::array<Variable, 2> through(const Norm& norm) const {
    if (update) return norm(x, *update, mask);
    return {x, norm(x)};
  }
};

/// What surrounds every sub-layer. post: Norm(x + Dropout(Sublayer(x))), the paper's section 3.1.
/// pre: x + Dropout(Sublayer(Norm(x))), which needs a final norm after the stack
/// (Xiong et al. 2020).
struct Residual {
  Norm norm;
  NormOrder order;
  double dropout_rate;

  Residual(const Scope& scope, std::int64_t width, NormOrder norm_order, double dropout,
           NormKind kind = NormKind::layer)
      : norm(scope, width, kind), order(norm_order), dropout_rate(dropout) {}

  template <class Sublayer>
  ResidualStream operator()(const ResidualStream& stream, const Sublayer& sublayer,
                            Run& run) const {
    if (order == NormOrder::post) {
      const Variable x = stream.sum(), y = sublayer(x);
      return norm(x, y, run.mask(dropout_rate))[1];
    }
    const auto [sum, normed] = stream.through(norm);
    Variable y = sublayer(normed);
    return {sum, std::move(y), run.mask(dropout_rate)};
  }
};

}  // namespace kette
