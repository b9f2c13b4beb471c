// Ops on rows: linear maps, norms, tables, losses.
#include <nanobind/stl/array.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#include "autograd/all_ops.h"
#include "python/src/arguments.h"

namespace kette::python {
namespace {

using MaybeArray = std::optional<ArrayLike>;

void bind_maps(nb::module_& m) {
  def_op(
      m, "matmul",
      [](const ArrayLike& given_a, const ArrayLike& given_b, bool transpose_a, bool transpose_b) {
        const auto both = operands(given_a, given_b);
        return computed([&] { return matmul(both.first, both.second, transpose_a, transpose_b); });
      },
      "a"_a, "b"_a, "transpose_a"_a = false, "transpose_b"_a = false);
  def_op(
      m, "linear",
      [](const ArrayLike& given, const ArrayLike& weight, const MaybeArray& bias,
         const std::string& activation) {
        const Variable x = operand(given), w = operand(weight, x), b = operand(bias, x);
        const Activation applied = activation_named(activation);
        return computed([&] { return linear(x, w, b, applied); });
      },
      "x"_a, "weight"_a, "bias"_a = nb::none(), "activation"_a = "none");
  def_op(
      m, "feed_forward",
      [](const ArrayLike& given, const ArrayLike& inner_weight, const MaybeArray& inner_bias,
         const ArrayLike& outer_weight, const MaybeArray& outer_bias,
         const std::string& activation) {
        const Variable x = operand(given), w1 = operand(inner_weight, x),
                       b1 = operand(inner_bias, x), w2 = operand(outer_weight, x),
                       b2 = operand(outer_bias, x);
        const Activation applied = activation_named(activation);
        return computed([&] { return feed_forward(x, w1, b1, w2, b2, applied); });
      },
      "x"_a, "inner_weight"_a, "inner_bias"_a.none(), "outer_weight"_a, "outer_bias"_a.none(),
      "activation"_a = "relu");
  def_op(
      m, "lora_linear",
      [](const ArrayLike& given, const ArrayLike& weight, const MaybeArray& bias,
         const ArrayLike& a, const ArrayLike& b,
         const std::optional<std::vector<std::pair<std::int64_t, std::int64_t>>>& blocks,
         double scale) {
        const Variable x = operand(given), w = operand(weight, x), biases = operand(bias, x),
                       down = operand(a, x), up = operand(b, x);
        std::vector<RowBlock> rows;
        if (!blocks) rows.push_back({0, w.shape().rank() > 0 ? w.shape()[0] : 0});
        if (blocks) {
          for (const auto& [begin, end] : *blocks) rows.push_back({begin, end});
        }
        return computed([&] { return lora_linear(x, w, biases, down, up, rows, scale); });
      },
      "x"_a, "weight"_a, "bias"_a.none(), "a"_a, "b"_a, "blocks"_a = nb::none(), "scale"_a = 1.0);
  def_op(
      m, "linear_cross_entropy",
      [](const ArrayLike& given, const ArrayLike& weight, const MaybeArray& bias,
         const ArrayLike& targets, double smoothing, double scale,
         const std::optional<std::tuple<double, double, double>>& views) {
        const Variable x = operand(given), w = operand(weight, x), b = operand(bias, x);
        const Tensor ids = ids_of("linear_cross_entropy", targets);
        CrossEntropyOptions options{.smoothing = smoothing, .scale = scale};
        if (views) {
          const auto [forward, reverse, second] = *views;
          options.views = TwoViews{forward, reverse, second};
        }
        return computed([&] { return linear_cross_entropy(x, w, b, ids, options); });
      },
      "x"_a, "weight"_a, "bias"_a.none(), "targets"_a, "smoothing"_a = 0.0, "scale"_a = 1.0,
      "views"_a = nb::none());
}

template <Variable (*apply)(const Variable&)>
void def_rows(nb::module_& m, const char* name) {
  def_op(
      m, name,
      [](const ArrayLike& given) {
        const Variable x = operand(given);
        return computed([&] { return apply(x); });
      },
      "x"_a);
}

void bind_norms(nb::module_& m) {
  def_rows<softmax>(m, "softmax");
  def_rows<log_softmax>(m, "log_softmax");
  def_rows<swiglu>(m, "swiglu");
  def_op(
      m, "layer_norm",
      [](const ArrayLike& given, const ArrayLike& gain, const MaybeArray& bias, double epsilon) {
        const Variable x = operand(given), g = operand(gain, x), b = operand(bias, x);
        return computed([&] { return layer_norm(x, g, b, epsilon); });
      },
      "x"_a, "gain"_a, "bias"_a = nb::none(), "epsilon"_a = 1e-5);
  def_op(
      m, "residual_layer_norm",
      [](const ArrayLike& given, const ArrayLike& residual, const ArrayLike& gain,
         const MaybeArray& bias, double dropout, std::uint64_t seed, double epsilon) {
        const Variable x = operand(given), r = operand(residual, x), g = operand(gain, x),
                       b = operand(bias, x);
        const DropoutMask mask = mask_of(dropout, seed);
        const auto both = computed([&] { return residual_layer_norm(x, r, g, b, mask, epsilon); });
        return std::pair(both[0], both[1]);
      },
      "x"_a, "residual"_a, "gain"_a, "bias"_a = nb::none(), "dropout"_a = 0.0, "seed"_a = 0,
      "epsilon"_a = 1e-5);
  def_op(
      m, "rms_norm",
      [](const ArrayLike& given, const ArrayLike& gain, double epsilon) {
        const Variable x = operand(given), g = operand(gain, x);
        return computed([&] { return rms_norm(x, g, epsilon); });
      },
      "x"_a, "gain"_a, "epsilon"_a = 1e-5);
  def_op(
      m, "dropout",
      [](const ArrayLike& given, double rate, std::uint64_t seed) {
        const Variable x = operand(given);
        const DropoutMask mask = mask_of(rate, seed);
        return computed([&] { return dropout(x, mask); });
      },
      "x"_a, "rate"_a, "seed"_a = 0);
}

void bind_tables(nb::module_& m) {
  def_op(
      m, "embedding",
      [](const ArrayLike& given, const ArrayLike& ids, double scale, bool with_holes) {
        const Variable table = operand(given);
        const Tensor rows = ids_of("embedding", ids);
        return computed([&] { return embedding(table, rows, scale, with_holes); });
      },
      "table"_a, "ids"_a, "scale"_a = 1.0, "with_holes"_a = false);
  def_op(
      m, "add_positions",
      [](const ArrayLike& given, const ArrayLike& table, const MaybeArray& positions,
         const Lengths& lengths) {
        const Variable x = operand(given), t = operand(table, x);
        const Tensor at = positions_of("add_positions", positions, lengths, x);
        return computed([&] { return add_positions(x, t, at); });
      },
      "x"_a, "table"_a, "positions"_a = nb::none(), "lengths"_a = nb::none());
  def_op(
      m, "rotary",
      [](const ArrayLike& given, const ArrayLike& table, const MaybeArray& positions,
         const Lengths& lengths, std::optional<std::int64_t> turned) {
        const Variable x = operand(given), t = operand(table, x);
        check_is_constant(t, "rotary(): table", "table.detach()");
        const Tensor at = positions_of("rotary", positions, lengths, x);
        const std::int64_t columns = turned.value_or(x.shape().rank() > 0 ? x.shape()[-1] : 1);
        return computed([&] { return rotary(x, at, t.value(), columns); });
      },
      "x"_a, "table"_a, "positions"_a = nb::none(), "lengths"_a = nb::none(),
      "turned"_a = nb::none());
  def_op(
      m, "smear",
      [](const ArrayLike& given, const ArrayLike& gates, const MaybeArray& positions,
         const Lengths& lengths) {
        const Variable x = operand(given), g = operand(gates, x);
        const Tensor at = positions_of("smear", positions, lengths, x);
        return computed([&] { return smear(x, g, at); });
      },
      "x"_a, "gates"_a, "positions"_a = nb::none(), "lengths"_a = nb::none());
  m.def(
      "rotary_table",
      [](std::int64_t positions, std::int64_t head_width, double base, const std::string& dtype,
         const std::string& device) {
        const DType type = dtype_named(dtype);
        const Device where = parse_device(device);
        return Variable(
            computed([&] { return rotary_table(positions, head_width, base, type, where); }));
      },
      "positions"_a, "head_width"_a, "base"_a = 10000.0, "dtype"_a = "f32", "device"_a = "cpu",
      "The table of rotary(): cosines and sines of every angle, [positions, head width]; for bf16 "
      "in f32. Su et al. 2021.");
}

}  // namespace

void bind_row_ops(nb::module_& m) {
  bind_maps(m);
  bind_norms(m);
  bind_tables(m);
}

void bind_attention_ops(nb::module_& m) {
  const auto pattern_of = [](std::int64_t heads, bool causal, std::int64_t group,
                             std::int64_t window, bool alibi) {
    AttentionOptions options;
    options.heads = heads;
    options.pattern = causal ? Mask::causal : Mask::none;
    options.pattern.group = group;
    options.pattern.window = window;
    options.pattern.alibi = alibi;
    return options;
  };
  def_op(
      m, "self_attention",
      [=](const ArrayLike& qkv, const Lengths& lengths, std::int64_t heads, bool causal,
          std::int64_t group, std::int64_t window, bool alibi, double dropout, std::uint64_t seed) {
        const Variable x = operand(qkv);
        AttentionOptions options = pattern_of(heads, causal, group, window, alibi);
        options.dropout = mask_of(dropout, seed);
        const Segments segments = segments_of(lengths, x);
        return computed([&] { return self_attention(x, segments, options); });
      },
      "qkv"_a, "lengths"_a = nb::none(), "heads"_a = 1, "causal"_a = false, "group"_a = 1,
      "window"_a = 0, "alibi"_a = false, "dropout"_a = 0.0, "seed"_a = 0);
  def_op(
      m, "cross_attention",
      [=](const ArrayLike& query, const ArrayLike& key_value, const Lengths& query_lengths,
          const Lengths& key_lengths, std::int64_t heads, bool causal, std::int64_t group,
          std::int64_t window, bool alibi, double dropout, std::uint64_t seed) {
        const Variable q = operand(query), kv = operand(key_value, q);
        AttentionOptions options = pattern_of(heads, causal, group, window, alibi);
        options.dropout = mask_of(dropout, seed);
        const Segments queries = segments_of(query_lengths, q), keys = segments_of(key_lengths, kv);
        return computed([&] { return cross_attention(q, kv, queries, keys, options); });
      },
      "query"_a, "key_value"_a, "query_lengths"_a = nb::none(), "key_lengths"_a = nb::none(),
      "heads"_a = 1, "causal"_a = false, "group"_a = 1, "window"_a = 0, "alibi"_a = false,
      "dropout"_a = 0.0, "seed"_a = 0);
  def_op(
      m, "linear_attention",
      [=](const ArrayLike& qkv, const Lengths& lengths, std::int64_t heads, bool causal,
          std::int64_t group) {
        const Variable x = operand(qkv);
        AttentionOptions options = pattern_of(heads, causal, group, 0, false);
        options.pattern = options.pattern.with_linear_weights();
        const Segments segments = segments_of(lengths, x);
        return computed([&] { return linear_attention(x, segments, options); });
      },
      "qkv"_a, "lengths"_a = nb::none(), "heads"_a = 1, "causal"_a = false, "group"_a = 1);
}

}  // namespace kette::python
