// The layers of the Transformer as values with a call operator. A layer is created in a Scope,
// where it registers its parameters, and is applied to rows [rows, width]. Its path in the Scope is
// also the name of its output as a point (nn/tap.h).
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "autograd/ops/options.h"
#include "nn/kinds.h"
#include "nn/param_store.h"
#include "nn/prepacked.h"
#include "nn/run.h"

namespace kette {

/// Low-rank adapters of a linear map: adds scale * B A to blocks of rows of W (Hu et al. 2021).
/// down, up: A and B of autograd/ops/lora.h.
struct LoraAdapter {
  Variable down, up;
  std::vector<RowBlock> blocks;
  double scale = 1;
};

struct LinearOptions {
  Activation activation = Activation::none;
  /// The number of independent maps of out / stacked rows in one weight (3 for query, key and
  /// value). Each is initialised by its own fan-out.
  std::int64_t stacked = 1;
  double deviation = 0;  ///< standard deviation of normal initial weights; 0: Glorot
  bool biased = true;
};

/// Repeats the next `rows` rows of the weight `times` times.
struct RowCopies {
  std::int64_t rows, times;
};

/// y = activation(x W^T + b). weight: [out, in]. bias: [out], or undefined without one.
struct Linear {
  std::string path;
  Variable weight, bias;
  /// Cover all rows of weight and bias; empty: no row is repeated.
  std::vector<RowCopies> copies{};
  Activation activation = Activation::none;
  std::optional<LoraAdapter> adapter;        ///< while fine-tuning
  std::optional<PrepackedWeight> prepacked;  ///< while decoding: used instead of weight and bias

  Linear(const Scope& scope, std::int64_t in, std::int64_t out, const LinearOptions& options = {});
  /// A map whose point has another name than its parameters. They may be tied to another layer's.
  Linear(std::string point, Variable its_weight, Variable its_bias)
      : path(std::move(point)), weight(std::move(its_weight)), bias(std::move(its_bias)) {}

  /// x: [rows, in] -> [rows, out].
  Variable operator()(const Variable& x) const;
  Variable operator()(const Variable& x, const Run& run) const { return run.tap(path, (*this)(x)); }
  /// Weight and bias packed for products of few rows (tensor/decoding.h), with adapters merged.
  /// panels: f32, bf16 or int8.
  PrepackedWeight prepack(DType panels) const;
  /// The weight with its copied rows, or W + scale * B A in f32 with an adapter.
  Tensor merged_weight() const;
};

/// gain, bias: [width]; undefined if the norm has none.
struct Norm {
  std::string path;
  Variable gain, bias;
  NormKind kind;
  double epsilon;

  Norm(const Scope& scope, std::int64_t width, NormKind kind = NormKind::layer, bool biased = true,
       double epsilon = kNormEpsilon);
  Variable operator()(const Variable& x) const;
  /// Points: path, the output, and path/sum, the input x.
  Variable operator()(const Variable& x, const Run& run) const {
    return run.tap(path, (*this)(run.tap(path, points::sum, x)));
  }
  /// Returns x + Dropout(update) and its norm. A layer norm does both in one pass.
  std::array<Variable, 2> operator()(const Variable& x, const Variable& update,
                                     const DropoutMask& mask, const Run& run) const;
};

/// Tokens to vectors: scale * table[id]. table: [vocabulary, width].
struct Embedding {
  Variable table;
  double scale;
  Int8Matrix rounded;  ///< while decoding in int8: used instead of the table

  Embedding(const Scope& scope, std::int64_t vocabulary, std::int64_t width, double deviation,
            double scale = 1);
  /// scale: sqrt(width) (Vaswani et al. 2017, section 3.4).
  static Embedding scaled(const Scope& scope, std::int64_t vocabulary, std::int64_t width);
  /// with_holes: ids may be kNoEntry, as in consistency training (train/consistency.h).
  /// ids: i32 [rows] -> [rows, width].
  Variable operator()(const Tensor& ids, bool with_holes = false) const;
};

/// A named part of the rows of a weight: query, key, value, output, inner, outer. Parts get rows in
/// proportion to `shares`.
struct MapPart {
  std::string name;
  std::int64_t shares = 1;
};
/// parts: from the first row of the weight on.
using VisitLinear = std::function<void(Linear& map, const std::vector<MapPart>& parts)>;

/// Options of the linear maps of a sub-layer. Initial weights are Glorot (the default) or normal. Maps that write to
/// the residual stream may have a standard deviation of their own (Radford et al. 2019, section 2.3).
struct MapOptions {
  double deviation = 0, output_deviation = 0;  ///< standard deviations; 0: Glorot
  bool biased = true;

  /// For `stacked` maps that read the residual stream.
  LinearOptions reading(std::int64_t stacked = 1, Activation activation = Activation::none) const {
    return {activation, stacked, deviation, biased};
  }
  /// For maps that write to the residual stream.
  LinearOptions writing() const { return {.deviation = output_deviation, .biased = biased}; }
};

/// FFN(x) = activation(x W1 + b1) W2 + b2, equation (2). With a gate: FFN(x) = (silu(x W + b) * (x
/// V + c)) W2 + b2, SwiGLU (Shazeer 2020, equation (6), here with biases). W and V are stacked in
/// one product. Points: the outputs of inner and outer, and path/hidden, the output of the gate.
struct FeedForward {
  std::string path;
  Linear inner, outer;
  bool gated;
  double dropout_rate;  ///< after the activation; the paper has none

  FeedForward(const Scope& scope, std::int64_t width, std::int64_t hidden, Activation activation,
              double dropout_rate, const MapOptions& maps = {});
  static FeedForward swiglu(const Scope& scope, std::int64_t width, std::int64_t hidden,
                            double dropout_rate, const MapOptions& maps = {});
  /// x: [rows, width] -> [rows, width].
  Variable operator()(const Variable& x, Run& run) const;

 private:
  FeedForward(std::string scope_path, Linear inner_map, Linear outer_map, bool is_gated,
              double rate)
      : path(std::move(scope_path)),
        inner(std::move(inner_map)),
        outer(std::move(outer_map)),
        gated(is_gated),
        dropout_rate(rate) {}
  Variable in_one(const Variable& x, const Run& run) const;
};

}  // namespace kette
