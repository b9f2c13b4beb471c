#include "autograd/ops/linear_attention.h"

#include <cmath>

#include "autograd/op.h"
#include "autograd/ops/matmul.h"
#include "autograd/ops/reduce.h"
#include "autograd/ops/shaping.h"
#include "tensor/matrix_view.h"

namespace kette::ops {
namespace {

LinearAttentionArgs linear_arguments(const LinearAttention& op) {
  LinearAttentionArgs args;
  args.dtype = op.qkv.dtype();
  args.heads = op.options.heads;
  args.head_width = op.qkv.width() / op.options.heads_in_row();
  const std::int64_t width = op.options.query_width(op.qkv.width()),
                     key_width = op.options.key_heads() * args.head_width;
  args.query = op.qkv.raw();
  args.key = Matrix(op.qkv).columns(width, key_width).data();
  args.value = Matrix(op.qkv).columns(width + key_width, key_width).data();
  args.output = op.output.raw();
  args.denominator = op.denominator.raw();
  args.stride = op.qkv.width();
  args.output_stride = width;
  args.pattern = op.options.pattern;
  args.segments = op.segments;
  return args;
}

/// Every weight by itself.
Values linear_attention_reference(RowsView<const double> qkv, const AttentionOptions& options,
                                  std::int64_t w, const Segments& segments) {
  const auto phi = [](double x) { return x > 0 ? x + 1 : std::exp(x); };
  const std::int64_t width = options.heads * w, key_width = options.key_heads() * w;
  Values output(static_cast<std::size_t>(segments.rows() * width));
  for (std::int64_t s = 0; s < segments.count(); ++s) {
    for (std::int64_t head = 0; head < options.heads; ++head) {
      const std::int64_t of_keys = width + head / options.pattern.group * w;
      for (std::int64_t i = segments.begin(s); i < segments.end(s); ++i) {
        const std::int64_t end = options.pattern.mask == Mask::causal ? i + 1 : segments.end(s);
        double* out = output.data() + i * width + head * w;
        double total = linear_weights::kEpsilon;
        for (std::int64_t j = segments.begin(s); j < end; ++j) {
          double weight = 0;
          for (std::int64_t e = 0; e < w; ++e) {
            weight += phi(qkv.row(i)[head * w + e]) * phi(qkv.row(j)[of_keys + e]);
          }
          total += weight;
          for (std::int64_t e = 0; e < w; ++e) {
            out[e] += weight * qkv.row(j)[of_keys + key_width + e];
          }
        }
        for (std::int64_t e = 0; e < w; ++e) out[e] /= total;
      }
    }
  }
  return output;
}

}  // namespace

Tensor LinearAttention::forward(const Tensor& x) {
  KETTE_CHECK(options.heads > 0, name, ": expected at least one head, given ", options.heads);
  options.pattern.check(name, options.heads);
  KETTE_CHECK(x.shape().rank() == 2 && x.width() % options.heads_in_row() == 0 &&
                  segments.rows() == x.rows(),
              name, ": expected [rows, width + 2 * key width] of ", options.heads_in_row(),
              " heads and segments that cover the rows, given ", x.str(), " and segments of ",
              segments.rows(), " rows");
  KETTE_CHECK(!options.dropout.active(), name,
              ": expected no dropout of weights, which are never spelled out, given one");
  qkv = x;
  output = Tensor::empty({x.rows(), options.query_width(x.width())}, x.dtype(), x.device());
  denominator = Tensor::empty({options.heads, x.rows()}, compute_dtype(x.dtype()), x.device());
  const LinearAttentionArgs args = linear_arguments(*this);
  on(x.device(), [&](auto exec) { kernels::linear_attention(exec, args); });
  return output;
}

void LinearAttention::backward(const Tensor& dy, GradientSlot& dx) {
  const LinearAttentionArgs args = linear_arguments(*this);
  const Tensor gradient = Tensor::empty(qkv.shape(), qkv.dtype(), qkv.device());
  const std::int64_t key_width = args.key_heads() * args.head_width;
  const Matrix keys = Matrix(gradient).columns(args.output_stride, key_width);
  const LinearAttentionGradients gradients{dy.raw(), gradient.raw(), keys.data(),
                                           keys.columns(key_width, key_width).data()};
  on(qkv.device(), [&](auto exec) { kernels::linear_attention_backward(exec, args, gradients); });
  dx.add(gradient);
}

namespace {

/// elu(x) + 1
Variable feature(const Variable& x) {
  const Variable positive = relu(x);
  return positive + exp(x - positive);
}

}  // namespace

/// Every weight by itself.
Variable LinearAttention::composed(const std::array<Variable, 1>& in) const {
  const std::int64_t all = in[0].value().width(), w = all / options.heads_in_row(),
                     width = options.query_width(all), key_width = (all - width) / 2;
  Variable outputs;
  for (std::int64_t s = 0; s < segments.count(); ++s) {
    const std::int64_t length = segments.length(s);
    if (length == 0) continue;
    std::vector<double> seen(static_cast<std::size_t>(length * length), 1);
    for (std::int64_t i = 0; options.pattern.mask == Mask::causal && i < length; ++i) {
      std::fill(seen.begin() + i * length + i + 1, seen.begin() + (i + 1) * length, 0.0);
    }
    const Tensor& value = in[0].value();
    const Variable is_seen =
        Tensor::from(seen, {length, length}).to(value.dtype()).to(value.device());
    const Variable rows = slice(in[0], segments.begin(s), segments.end(s));
    Variable heads;
    for (std::int64_t head = 0; head < options.heads; ++head) {
      const std::int64_t at = width + head / options.pattern.group * w;
      const Variable weights = matmul(feature(columns(rows, head * w, (head + 1) * w)),
                                      feature(columns(rows, at, at + w)), false, true) *
                               is_seen;
      const Variable total = affine(sum_to(weights, {length, 1}), 1, linear_weights::kEpsilon);
      const Variable of_head =
          transpose(matmul(weights, columns(rows, at + key_width, at + key_width + w)) / total);
      heads = heads.value().defined() ? concatenate(heads, of_head) : of_head;
    }
    heads = transpose(heads);
    outputs = outputs.value().defined() ? concatenate(outputs, heads) : heads;
  }
  return outputs;
}

std::vector<Sample> LinearAttention::samples() {
  const auto sample = [](const char* label, const std::vector<std::int64_t>& lengths,
                         std::int64_t head_width, std::int64_t heads, AttentionPattern pattern) {
    const Segments segments = Segments::from_lengths(lengths);
    const AttentionOptions options{heads, pattern.with_linear_weights(), {}};
    const std::int64_t all = options.heads_in_row() * head_width;
    return Sample{
        label,
        {{{segments.rows(), all}}},
        [=](const std::vector<Variable>& in) { return linear_attention(in[0], segments, options); },
        [=](const std::vector<Values>& in) {
          return linear_attention_reference({in[0].data(), all}, options, head_width, segments);
        }};
  };
  const AttentionPattern causal = Mask::causal;
  return {
      sample("lengths 3 1 0 5, 2 heads of 4, causal", {3, 1, 0, 5}, 4, 2, causal),
      sample("lengths 3 1 0 5, 2 heads of 4", {3, 1, 0, 5}, 4, 2, Mask::none),
      sample("length 70, 1 head of 5, causal", {70}, 5, 1, causal),
      sample("lengths 55 2, 1 head of 3", {55, 2}, 3, 1, Mask::none),
      sample("lengths 4 7, 4 heads of 3 in pairs, causal", {4, 7}, 3, 4, causal.in_groups_of(2)),
      sample("length 50, 2 heads of 2 on one of the keys", {50}, 2, 2,
             AttentionPattern(Mask::none).in_groups_of(2))};
}

}  // namespace kette::ops

namespace kette {

Variable linear_attention(const Variable& qkv, const Segments& segments,
                          const AttentionOptions& options) {
  return record(ops::LinearAttention{options, segments}, qkv);
}

}  // namespace kette
