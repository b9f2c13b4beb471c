// Arguments of the kernels that generate text: few rows at a time, against weights that do not
// change and keys and values that grow by a position each step. f32 throughout, but that weights may
// lie in bf16, half the bytes to read, or on a CPU in int8, a quarter. In every one of them the result of a row depends on that row
// alone, to the last bit: not on the rows beside it, nor on how many there are.
#pragma once

#include <cstdint>
#include <vector>

#include "tensor/attention_pattern.h"
#include "tensor/elementwise.h"
#include "tensor/tensor.h"

namespace kette {

/// y = activation(x W^T + bias) with W: [out, in] laid out beforehand the way the device multiplies
/// fastest; the layout of `panels` is the device's own. Made by kernels::prepack_linear. With int8 panels
/// rows of x are rounded to int8, too, as they come (tensor/int8_matrix.h).
struct PrepackedWeight {
  Tensor panels;  ///< f32, bf16, or on a CPU int8
  Tensor bias;    ///< f32
  Tensor scales;  ///< f32, of int8 panels: what the values of each row of W are multiples of
  std::int64_t out = 0, in = 0;

  /// The sizes alone, with panels and bias undefined; an Error unless matrix and bias fit together
  /// and panels come in that type.
  static PrepackedWeight sizes_of(const Tensor& matrix, const Tensor& bias, DType panels);

  /// Calls function(panels), a pointer of their type, which is not int8.
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

  void check() const;  ///< an Error unless the shapes fit together; counts the FLOPs
};

/// The queries of softmax(scale * q K^T) V, one a row. Head h of row r starts at
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
  /// Of all heads of the keys.
  std::int64_t key_width() const { return width() / pattern.group; }
};

/// Where rows stand in a cache of keys and values, whose slots keep one position each. A line of the
/// table names the slots of a text, position after position; lines may name the same ones, so that
/// hypotheses share a common past and a new order of a beam moves no keys. Row r is position
/// positions[r] of line lines[r].
struct CachePlaces {
  Tensor table;      ///< i32 [lines, positions]: slots
  Tensor lines;      ///< i32 [rows]
  Tensor positions;  ///< i32 [rows]
  /// Likewise of a second stream of positions, where there is one: for who places rows, not for kernels.
  Tensor second_positions{};

  void check(const char* op,
             std::int64_t rows) const;  ///< an Error unless they are of so many rows
};

/// Each row attends to its line, up to its own position and as far back as its window reaches.
struct CachedAttentionArgs {
  QueryRows rows;
  /// [slots, 2 * key width], keys before values, f32 or bf16; see rows/cache.h for what fills it
  Tensor cache;
  CachePlaces places;

  void check() const;  ///< an Error unless the shapes fit together
};

/// Which tokens each row may go on with: bit v % 32 of word v / 32 of its mask says whether token v is
/// among them.
struct TokenMasks {
  Tensor words;  ///< i32 [masks, (vocabulary + 31) / 32]; undefined: all tokens
  Tensor rows;   ///< i32 [rows]: the mask of each; undefined: the first for all

  bool defined() const { return words.defined(); }
  /// Masks with a bit for each entry of each.
  static Tensor pack(const std::vector<std::vector<bool>>& masks, Device device);
};

/// The likeliest entries of log softmax(states W^T) per row, without ever writing all logits.
struct TopKArgs {
  const PrepackedWeight* weight = nullptr;
  Tensor states;         ///< [rows, in]
  TokenMasks masks;      ///< tokens outside count in the softmax, but are never among the likeliest
  Tensor targets;        ///< i32 [rows]: one entry a row that is wanted whatever its rank
  Tensor target_values;  ///< [rows]: its log-probability
  Tensor values;         ///< [rows, count], falling; of equals the lower entry comes first
  Tensor entries;        ///< i32 [rows, count]; where there are no more: -1, of value -infinity
  /// A GPU writes at most so many at once, 32 MiB, which its second-level cache holds.
  std::int64_t logits_at_once = std::int64_t{1} << 23;
};

/// How each row is drawn: rows of texts that have nothing to do with each other are drawn at once.
struct DrawSettings {
  Tensor reals;  ///< f64 [2, rows]: the temperature, 0: the likeliest token; top_p, 1: all
  Tensor
      whole;  ///< i32 [4, rows]: top_k, 0: all; the low and the high half of the seed; the text's number
  bool cut =
      true;  ///< whether any row with a temperature has a top_k or a top_p; if not, less is done

  /// Of one row.
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

/// A token a row, drawn from softmax(logits / temperature) of the likeliest: of the `top_k` first
/// the fewest that together reach `top_p`, where of equals the lower comes first. With weights w_v
/// = round(2^40 exp((z_v - max z) / temperature)) of those and 0 of the others, row r takes the
/// first token v with w_0 + ... + w_v > floor(quantile * the sum of w). The quantile belongs to
/// (its seed, its text, positions[r]), see tensor/token_draw.h.
struct SampleArgs {
  Tensor logits;  ///< [rows, vocabulary], of 1 to 2^22 tokens
  DrawSettings settings;
  Tensor positions;  ///< i32 [rows]
  Tensor drawn;  ///< i32 [2, rows]: the tokens; and 1, beside token 0, where a logit is not finite

  void check() const;  ///< an Error unless shapes and types fit together
};

}  // namespace kette
