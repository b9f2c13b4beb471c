#include "autograd/ops/attention.h"

#include <cmath>

#include "tensor/matrix_view.h"

namespace kette::ops {
namespace {

char* offset(const Tensor& tensor, std::int64_t elements) {
  return static_cast<char*>(tensor.raw()) +
         elements * static_cast<std::int64_t>(size_of(tensor.dtype()));
}

/// query: [rows, ...] whose first `width` columns are Q. memory: K from column key_at on, then V.
AttentionArgs arguments(const char* op, const AttentionOptions& options, const Tensor& query,
                        const Tensor& memory, std::int64_t key_at, std::int64_t width,
                        const Segments& query_segments, const Segments& key_segments) {
  KETTE_CHECK(options.heads > 0 && width % options.heads == 0, op,
              ": expected a width that the heads divide, given width ", width, " and ",
              options.heads, " heads");
  KETTE_CHECK(query_segments.rows() == query.rows() && key_segments.rows() == memory.rows() &&
                  query_segments.count() == key_segments.count(),
              op, ": expected segments that cover ", query.rows(), " query and ", memory.rows(),
              " key rows in equally many sequences, given ", query_segments.rows(), " rows in ",
              query_segments.count(), " and ", key_segments.rows(), " rows in ",
              key_segments.count());
  AttentionArgs args;
  args.dtype = query.dtype();
  args.query = query.raw();
  args.key = offset(memory, key_at);
  args.value = offset(memory, key_at + width);
  args.query_stride = query.width();
  args.key_stride = args.value_stride = memory.width();
  args.output_stride = width;
  args.heads = options.heads;
  args.head_width = width / options.heads;
  args.scale = 1.0 / std::sqrt(static_cast<double>(args.head_width));
  args.mask = options.mask;
  args.dropout = options.dropout;
  args.dropout_width = key_segments.longest();
  args.query_segments = query_segments;
  args.key_segments = key_segments;
  return args;
}

Tensor statistics(const Tensor& query, std::int64_t heads) {
  return Tensor::empty({heads, query.rows()}, compute_dtype(query.dtype()), query.device());
}

/// One sequence and head after the other, in plain loops.
Values attention_reference(RowsView<const double> q, RowsView<const double> k,
                           RowsView<const double> v, const AttentionOptions& options,
                           std::int64_t width, const Segments& queries, const Segments& keys) {
  Values output(static_cast<std::size_t>(queries.rows() * width));
  const std::int64_t head_width = width / options.heads;
  for (std::int64_t s = 0; s < queries.count(); ++s) {
    for (std::int64_t head = 0; head < options.heads; ++head) {
      for (std::int64_t i = queries.begin(s); i < queries.end(s); ++i) {
        std::int64_t visible = keys.length(s);
        if (options.mask == Mask::causal) {
          visible = i - queries.begin(s) + 1 + keys.length(s) - queries.length(s);
        }
        Values weight;
        double total = 0;
        for (std::int64_t j = 0; j < visible; ++j) {
          double score = 0;
          for (std::int64_t e = 0; e < head_width; ++e) {
            score +=
                q.row(i)[head * head_width + e] * k.row(keys.begin(s) + j)[head * head_width + e];
          }
          weight.push_back(std::exp(score / std::sqrt(static_cast<double>(head_width))));
          total += weight.back();
        }
        for (std::int64_t j = 0; j < visible; ++j) {
          double p = weight[j] / total;
          if (options.dropout.active()) {
            p *= static_cast<double>(
                options.dropout.at(head * queries.rows() + i, j, keys.longest()));
          }
          for (std::int64_t e = 0; e < head_width; ++e) {
            output[i * width + head * head_width + e] +=
                p * v.row(keys.begin(s) + j)[head * head_width + e];
          }
        }
      }
    }
  }
  return output;
}

}  // namespace

Tensor SelfAttention::forward(const Tensor& x) {
  KETTE_CHECK(x.shape().rank() == 2 && x.width() % 3 == 0, name,
              ": expected [rows, 3 * width], given ", x.str());
  qkv = x;
  const std::int64_t width = x.width() / 3;
  AttentionArgs args = arguments(name, options, x, x, width, width, segments, segments);
  output = Tensor::empty({x.rows(), width}, x.dtype(), x.device());
  log_sum_exp = statistics(x, options.heads);
  args.output = output.raw();
  args.log_sum_exp = log_sum_exp.raw();
  on(x.device(), [&](auto exec) { kernels::attention(exec, args); });
  return output;
}

void SelfAttention::backward(const Tensor& dy, GradientSlot& dx) {
  const std::int64_t width = qkv.width() / 3;
  AttentionArgs args = arguments(name, options, qkv, qkv, width, width, segments, segments);
  args.output = output.raw();
  args.log_sum_exp = log_sum_exp.raw();
  const Tensor gradient = Tensor::empty(qkv.shape(), qkv.dtype(), qkv.device());
  const AttentionGradients gradients{dy.raw(), gradient.raw(), offset(gradient, width),
                                     offset(gradient, 2 * width)};
  on(qkv.device(), [&](auto exec) { kernels::attention_backward(exec, args, gradients); });
  dx.add(gradient);
}

Tensor CrossAttention::forward(const Tensor& q, const Tensor& kv) {
  KETTE_CHECK(q.shape().rank() == 2 && kv.shape().rank() == 2 && kv.width() == 2 * q.width(), name,
              ": expected queries [rows, width] and memory [rows, 2 * width], given ", q.str(),
              " and ", kv.str());
  query = q;
  key_value = kv;
  AttentionArgs args = arguments(name, options, q, kv, 0, q.width(), query_segments, key_segments);
  output = Tensor::empty(q.shape(), q.dtype(), q.device());
  log_sum_exp = statistics(q, options.heads);
  args.output = output.raw();
  args.log_sum_exp = log_sum_exp.raw();
  on(q.device(), [&](auto exec) { kernels::attention(exec, args); });
  return output;
}

void CrossAttention::backward(const Tensor& dy, GradientSlot& dq, GradientSlot& dkv) {
  AttentionArgs args =
      arguments(name, options, query, key_value, 0, query.width(), query_segments, key_segments);
  args.output = output.raw();
  args.log_sum_exp = log_sum_exp.raw();
  const Tensor query_gradient = Tensor::empty(query.shape(), query.dtype(), query.device());
  const Tensor memory_gradient =
      Tensor::empty(key_value.shape(), key_value.dtype(), key_value.device());
  const AttentionGradients gradients{dy.raw(), query_gradient.raw(), memory_gradient.raw(),
                                     offset(memory_gradient, query.width())};
  on(query.device(), [&](auto exec) { kernels::attention_backward(exec, args, gradients); });
  dq.add(query_gradient);
  dkv.add(memory_gradient);
}

std::vector<Sample> SelfAttention::samples() {
  const auto sample = [](const char* label, const std::vector<std::int64_t>& lengths,
                         std::int64_t width, AttentionOptions options) {
    const Segments segments = Segments::from_lengths(lengths);
    return Sample{
        label,
        {{{segments.rows(), 3 * width}}},
        [=](const std::vector<Variable>& in) { return self_attention(in[0], segments, options); },
        [=](const std::vector<Values>& in) {
          const RowsView<const double> qkv{in[0].data(), 3 * width};
          return attention_reference(qkv, qkv.from(0, width), qkv.from(0, 2 * width), options,
                                     width, segments, segments);
        }};
  };
  return {sample("lengths 3 1 0 5, 2 heads of 4", {3, 1, 0, 5}, 8, {2, Mask::none, {}}),
          sample("lengths 3 1 0 5, 2 heads of 4, causal", {3, 1, 0, 5}, 8, {2, Mask::causal, {}}),
          sample("lengths 4 2, 1 head of 16, causal, dropout", {4, 2}, 16,
                 {1, Mask::causal, DropoutMask(0.3, {2, 3})}),
          sample("length 70, 1 head of 4, causal", {70}, 4, {1, Mask::causal, {}})};
}

std::vector<Sample> CrossAttention::samples() {
  const auto sample = [](const char* label, const std::vector<std::int64_t>& query_lengths,
                         const std::vector<std::int64_t>& key_lengths, std::int64_t width,
                         AttentionOptions options) {
    const Segments queries = Segments::from_lengths(query_lengths);
    const Segments keys = Segments::from_lengths(key_lengths);
    return Sample{label,
                  {{{queries.rows(), width}}, {{keys.rows(), 2 * width}}},
                  [=](const std::vector<Variable>& in) {
                    return cross_attention(in[0], in[1], queries, keys, options);
                  },
                  [=](const std::vector<Values>& in) {
                    const RowsView<const double> kv{in[1].data(), 2 * width};
                    return attention_reference({in[0].data(), width}, kv, kv.from(0, width),
                                               options, width, queries, keys);
                  }};
  };
  return {sample("2 0 4 queries on 3 5 2 keys, 2 heads of 3", {2, 0, 4}, {3, 5, 2}, 6,
                 {2, Mask::none, {}}),
          sample("3 queries on 5 keys, causal", {3}, {5}, 4, {1, Mask::causal, {}}),
          sample("3 2 queries on 4 6 keys, dropout", {3, 2}, {4, 6}, 8,
                 {2, Mask::none, DropoutMask(0.5, {8, 9})})};
}

}  // namespace kette::ops
