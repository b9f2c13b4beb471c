// Arguments of the kernels that generate text. They take few rows at a time; weights do not change,
// and keys and values grow by one position a step. All values are f32, but weights may be stored in
// bf16 (half the bytes to read) or, on a CPU, in int8 (a quarter). In every kernel the bits of a
// row's result depend on that row alone, not on the other rows or on their number.
#pragma once

#include <cstdint>
#include <vector>

#include "tensor/attention_pattern.h"
#include "tensor/elementwise.h"
#include "tensor/tensor.h"

namespace kette {

/// y = activation(x W^T + bias), with W: [out, in] packed beforehand in the layout that the device
/// multiplies fastest; the layout of `panels` differs by device. Made by kernels::prepack_linear.
/// With int8 panels each row of x is also rounded to int8 (tensor/int8_matrix.h).
struct PrepackedWeight {
  Tensor panels;  ///< f32, bf16, or on a CPU int8
  Tensor bias;    ///< f32
  Tensor scales;  ///< f32 [out], for int8 panels: the scale of each row of W
  std::int64_t out = 0, in = 0;

  /// Only the sizes, with panels and bias undefined; an Error unless matrix and bias fit together
  /// and panels may have that type.
  static PrepackedWeight sizes_of(const Tensor& matrix, const Tensor& bias, DType panels);

  /// Calls function(pointer to the panels' values); for f32 or bf16, not int8.
  template <class Function>
  void visit_panels(Function&& function) const {
    if (panels.dtype() == DType::bf16) return function(panels.data<BFloat16>());
    function(panels.data<float>());
  }
};

struct PrepackedLinearArgs {
  const PrepackedWeight* weight = nullptr;
  Tensor x;  ///< [rows, in]
  Tensor y;  ///< [rows, out]
  Activation activation = Activation::none;

  void check() const;  ///< an Error unless the shapes fit; counts the FLOPs
};

/// The queries of softmax(scale * q K^T) V, one per row. Head h of row r starts at
/// query + r * query_stride + h * head_width.
struct QueryRows {
  const float* query = nullptr;
  std::int64_t query_stride = 0;
  Tensor output;  ///< [rows, width]
  std::int64_t heads = 0;
  double scale = 1;
  AttentionPattern pattern = Mask::causal;

  std::int64_t rows() const { return output.rows(); }
  std::int64_t width() const { return output.width(); }
  /// The width of all key heads together.
  std::int64_t key_width() const { return width() / pattern.group; }
};

/// Where rows stand in a cache of keys and values; a slot of the cache holds one position. A line
/// of the table lists the slots of a text, one per position. Lines may share slots: so hypotheses
/// share a common past, and reordering a beam moves no keys. Row r is position positions[r] of line
/// lines[r].
struct CachePlaces {
  Tensor table;      ///< i32 [lines, positions]: slots
  Tensor lines;      ///< i32 [rows]
  Tensor positions;  ///< i32 [rows]
  /// Likewise of a second stream of positions, where there is one: for who places rows, not for kernels.
  Tensor second_positions{};

  void check(const char* op,
             std::int64_t rows) const;  ///< an Error unless for `rows` rows
};

/// Each row attends to its own line, up to its own position and within its window.
struct CachedAttentionArgs {
  QueryRows rows;
  /// [slots, 2 * key width], keys before values, f32 or bf16; filled by rows/cache.h
  Tensor cache;
  CachePlaces places;

  void check() const;  ///< an Error unless the shapes fit together
};

/// Which tokens may continue each row: bit v % 32 of word v / 32 of its mask is set if token v may.
struct TokenMasks {
  Tensor words;  ///< i32 [masks, (vocabulary + 31) / 32]; undefined: all tokens
  Tensor rows;   ///< i32 [rows]: the mask of each row; undefined: mask 0 for all

  bool defined() const { return words.defined(); }
  /// Packs each mask's entries into bits.
  static Tensor pack(const std::vector<std::vector<bool>>& masks, Device device);
};

/// The likeliest entries of log softmax(states W^T) per row, without ever storing all logits.
struct TopKArgs {
  const PrepackedWeight* weight = nullptr;
  Tensor states;         ///< [rows, in]
  TokenMasks masks;      ///< tokens outside are part of the softmax but never among the likeliest
  Tensor targets;        ///< i32 [rows]: one entry per row that is wanted whatever its rank
  Tensor target_values;  ///< [rows]: its log-probability
  Tensor values;         ///< [rows, count], descending; ties: the lower entry first
  Tensor entries;        ///< i32 [rows, count]; if a row has fewer: -1, with value -infinity
  /// A GPU writes at most this many logits at once: 32 MiB, which fits its L2 cache.
  std::int64_t logits_at_once = std::int64_t{1} << 23;
};

/// Sampling settings of each row, so that unrelated texts are sampled in one call.
struct DrawSettings {
  Tensor reals;     ///< f64 [2, rows]: temperature (0: the likeliest token); top_p (1: all)
  Tensor whole;     ///< i32 [4, rows]: top_k (0: all); low and high half of the seed; text number
  bool cut = true;  ///< whether any row with a temperature has top_k or top_p; else less work

  /// The settings of one row.
  struct Row {
    double temperature, top_p;
    std::int64_t top_k;
    std::uint64_t seed, text;
  };
  KETTE_HOST_DEVICE static Row row(const double* reals, const std::int32_t* whole,
                                   std::int64_t rows, std::int64_t row) {
    const auto half = [=](int line) {
      return std::uint64_t{static_cast<std::uint32_t>(whole[line * rows + row])};
    };
    return {reals[row], reals[rows + row], whole[row], half(1) | half(2) << 32,
            static_cast<std::uint64_t>(whole[3 * rows + row])};
  }
};

/// Draws one token per row from softmax(logits / temperature), restricted to the fewest of the
/// `top_k` likeliest tokens that together reach `top_p` (ties: the lower token first). The weights
/// are w_v = round(2^40 exp((z_v - max z) / temperature)) for those tokens and 0 for the others.
/// Row r takes the first token v with w_0 + ... + w_v > floor(quantile * the sum of w). The
/// quantile is a function of the row's seed, its text and positions[r], see tensor/token_draw.h.
struct SampleArgs {
  Tensor logits;  ///< [rows, vocabulary], of 1 to 2^22 tokens
  DrawSettings settings;
  Tensor positions;  ///< i32 [rows]
  Tensor drawn;      ///< i32 [2, rows]: tokens; then 1 (and token 0) if a logit is not finite

  void check() const;  ///< an Error unless shapes and types fit
};

}  // namespace kette
