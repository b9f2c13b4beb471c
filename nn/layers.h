// The layers of the Transformer as values with a call operator: a layer is made in a Scope, where
// it registers its parameters, and applied to rows [rows, width]. Its path in the Scope names its
// output as a point that a tap may look at (nn/tap.h).
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

/// Low-rank adapters of a linear map: row blocks of W have B A, times `scale`, added to them (Hu et
/// al. 2021). down, up: A and B of autograd/ops/lora.h.
struct LoraAdapter {
  Variable down, up;
  std::vector<RowBlock> blocks;
  double scale = 1;
};

struct LinearOptions {
  Activation activation = Activation::none;
  /// How many independent maps of `out / stacked` rows are stacked in the weight (3 for query, key
  /// and value); each is initialised by its own fan-out.
  std::int64_t stacked = 1;
  double deviation = 0;  ///< of normal initial weights; 0: Glorot
  bool biased = true;
};

/// Repeats the next `rows` rows of the weight `times` times.
struct RowCopies {
  std::int64_t rows, times;
};

/// y = activation(x W^T + b). weight: [out, in], bias: [out], or undefined: there is none.
struct Linear {
  std::string path;
  Variable weight, bias;
  std::vector<RowCopies> copies{};  ///< of all rows of weight and bias; none: each comes once
  Activation activation = Activation::none;
  std::optional<LoraAdapter> adapter;        ///< while fine-tuning
  std::optional<PrepackedWeight> prepacked;  ///< while decoding: used instead of weight and bias

  Linear(const Scope& scope, std::int64_t in, std::int64_t out, const LinearOptions& options = {});
  /// A map at a point of another name than its parameters', which may be another layer's, too (tied).
  Linear(std::string point, Variable its_weight, Variable its_bias)
      : path(std::move(point)), weight(std::move(its_weight)), bias(std::move(its_bias)) {}

  Variable operator()(const Variable& x) const;
  Variable operator()(const Variable& x, const Run& run) const { return run.tap(path, (*this)(x)); }
  /// Weight and bias laid out for products of few rows (tensor/decoding.h), adapters merged; panels:
  /// f32, bf16 or int8.
  PrepackedWeight prepack(DType panels) const;
  /// The weight with all its copies, or in f32 the one weight that does what it does together with its adapter.
  Tensor merged_weight() const;
};

/// gain, bias: [width], where there are any; a layer norm may do without its bias.
struct Norm {
  std::string path;
  Variable gain, bias;
  NormKind kind;
  double epsilon;

  Norm(const Scope& scope, std::int64_t width, NormKind kind = NormKind::layer, bool biased = true,
       double epsilon = kNormEpsilon);
  Variable operator()(const Variable& x) const;
  /// The point path/sum is x.
  Variable operator()(const Variable& x, const Run& run) const {
    return run.tap(path, (*this)(run.tap(path, points::sum, x)));
  }
  /// The sum x + Dropout(update) and the norm of it, a layer norm in one pass.
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
  /// Multiplied by sqrt(width) (Vaswani et al. 2017, section 3.4).
  static Embedding scaled(const Scope& scope, std::int64_t vocabulary, std::int64_t width);
  /// with_holes: ids may be kNoEntry, as some are in consistency training (train/consistency.h).
  Variable operator()(const Tensor& ids, bool with_holes = false) const;
};

/// What some rows of a linear map's weight are for: query, key, value, output, inner, outer. So many
/// shares of all rows are its own.
struct MapPart {
  std::string name;
  std::int64_t shares = 1;
};
/// parts: from the top of the weight.
using VisitLinear = std::function<void(Linear& map, const std::vector<MapPart>& parts)>;

/// What the linear maps of a sub-layer are like. Their matrices start after Glorot (the default), or
/// normal with one deviation, and with another where the sub-layer writes to the residual stream
/// (Radford et al. 2019, section 2.3).
struct MapOptions {
  double deviation = 0, output_deviation = 0;  ///< 0: Glorot
  bool biased = true;

  /// Of the maps that read the residual stream, `stacked` of them in one.
  LinearOptions reading(std::int64_t stacked = 1, Activation activation = Activation::none) const {
    return {activation, stacked, deviation, biased};
  }
  LinearOptions writing() const { return {.deviation = output_deviation, .biased = biased}; }
};

/// FFN(x) = activation(x W1 + b1) W2 + b2, equation (2); or with a gate
/// FFN(x) = (silu(x W + b) * (x V + c)) W2 + b2, SwiGLU (Shazeer 2020, equation (6); biases as in
/// every linear map here), with W and V stacked in one product. Points: those of inner and outer, and
/// with a gate path/hidden, what comes out of it.
struct FeedForward {
  std::string path;
  Linear inner, outer;
  bool gated;
  double dropout_rate;  ///< after the activation; the paper has none

  FeedForward(const Scope& scope, std::int64_t width, std::int64_t hidden, Activation activation,
              double dropout_rate, const MapOptions& maps = {});
  static FeedForward swiglu(const Scope& scope, std::int64_t width, std::int64_t hidden,
                            double dropout_rate, const MapOptions& maps = {});
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
