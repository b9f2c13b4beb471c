#include "autograd/ops/attention.h"

#include <cmath>

#include "autograd/op.h"
#include "autograd/ops/elementwise.h"
#include "autograd/ops/matmul.h"
#include "autograd/ops/shaping.h"
#include "autograd/ops/softmax.h"
#include "tensor/matrix_view.h"

namespace kette::ops {
namespace {

char* offset(const Tensor& tensor, std::int64_t elements) {
  return static_cast<char*>(tensor.raw()) +
         elements * static_cast<std::int64_t>(size_of(tensor.dtype()));
}

/// query: [rows, ...] with Q in its first columns. memory: with K, then V, in its last columns.
/// heads: the number of heads side by side in a row of `query`.
AttentionArgs arguments(const char* op, const AttentionOptions& options, const Tensor& query,
                        std::int64_t heads, const Tensor& memory, const Segments& query_segments,
                        const Segments& key_segments) {
  KETTE_CHECK(query.width() % heads == 0, op,
              ": expected a width that the heads divide, given width ", query.width(), " and ",
              heads, " heads");
  KETTE_CHECK(query_segments.rows() == query.rows() && key_segments.rows() == memory.rows() &&
                  query_segments.count() == key_segments.count(),
              op, ": expected segments that cover ", query.rows(), " query and ", memory.rows(),
              " key rows in equally many sequences, given ", query_segments.rows(), " rows in ",
              query_segments.count(), " and ", key_segments.rows(), " rows in ",
              key_segments.count());
  AttentionArgs args;
  args.dtype = query.dtype();
  args.heads = options.heads;
  args.head_width = query.width() / heads;
  const std::int64_t key_width = options.key_heads() * args.head_width;
  args.query = query.raw();
  args.key = offset(memory, memory.width() - 2 * key_width);
  args.value = offset(memory, memory.width() - key_width);
  args.query_stride = query.width();
  args.key_stride = args.value_stride = memory.width();
  args.output_stride = options.heads * args.head_width;
  args.scale = 1.0 / std::sqrt(static_cast<double>(args.head_width));
  args.pattern = options.pattern;
  args.dropout = options.dropout;
  args.dropout_width = key_segments.longest();
  args.query_segments = query_segments;
  args.key_segments = key_segments;
  return args;
}

void check_heads(const char* op, const AttentionOptions& options) {
  KETTE_CHECK(options.heads > 0, op, ": expected at least one head, given ", options.heads);
  options.pattern.check(op, options.heads);
}

Tensor statistics(const Tensor& query, std::int64_t heads) {
  return Tensor::empty({heads, query.rows()}, compute_dtype(query.dtype()), query.device());
}

/// Plain loops over sequences and heads.
Values attention_reference(RowsView<const double> q, RowsView<const double> k,
                           RowsView<const double> v, const AttentionOptions& options,
                           std::int64_t head_width, const Segments& queries, const Segments& keys) {
  const std::int64_t width = options.heads * head_width;
  const AttentionPattern& pattern = options.pattern;
  Values output(static_cast<std::size_t>(queries.rows() * width));
  for (std::int64_t s = 0; s < queries.count(); ++s) {
    for (std::int64_t head = 0; head < options.heads; ++head) {
      const std::int64_t of_keys = head / pattern.group * head_width;
      const double slope = pattern.slope(head, options.heads);
      for (std::int64_t i = queries.begin(s); i < queries.end(s); ++i) {
        std::int64_t first = 0, end = keys.length(s);
        const std::int64_t own = i - queries.begin(s) + keys.length(s) - queries.length(s);
        if (pattern.mask == Mask::causal) {
          end = own + 1;
          first = pattern.window > 0 ? std::max<std::int64_t>(0, end - pattern.window) : 0;
        }
        Values weight(static_cast<std::size_t>(keys.length(s)));
        double total = 0;
        for (std::int64_t j = first; j < end; ++j) {
          double score = 0;
          for (std::int64_t e = 0; e < head_width; ++e) {
            score += q.row(i)[head * head_width + e] * k.row(keys.begin(s) + j)[of_keys + e];
          }
          weight[j] = std::exp(score / std::sqrt(static_cast<double>(head_width)) -
                               slope * static_cast<double>(own - j));
          total += weight[j];
        }
        for (std::int64_t j = first; j < end; ++j) {
          double p = weight[j] / total;
          if (options.dropout.active()) {
            p *= static_cast<double>(
                options.dropout.at(head * queries.rows() + i, j, keys.longest()));
          }
          for (std::int64_t e = 0; e < head_width; ++e) {
            output[i * width + head * head_width + e] += p * v.row(keys.begin(s) + j)[of_keys + e];
          }
        }
      }
    }
  }
  return output;
}

}  // namespace

Tensor SelfAttention::forward(const Tensor& x) {
  check_heads(name, options);
  KETTE_CHECK(x.shape().rank() == 2, name, ": expected [rows, width + 2 * key width], given ",
              x.str());
  qkv = x;
  AttentionArgs args = arguments(name, options, x, options.heads_in_row(), x, segments, segments);
  output = Tensor::empty({x.rows(), args.output_stride}, x.dtype(), x.device());
  log_sum_exp = statistics(x, options.heads);
  args.output = output.raw();
  args.log_sum_exp = log_sum_exp.raw();
  on(x.device(), [&](auto exec) { kernels::attention(exec, args); });
  return output;
}

void SelfAttention::backward(const Tensor& dy, GradientSlot& dx) {
  AttentionArgs args =
      arguments(name, options, qkv, options.heads_in_row(), qkv, segments, segments);
  args.output = output.raw();
  args.log_sum_exp = log_sum_exp.raw();
  const Tensor gradient = Tensor::empty(qkv.shape(), qkv.dtype(), qkv.device());
  const std::int64_t key_width = options.key_heads() * args.head_width;
  const AttentionGradients gradients{dy.raw(), gradient.raw(), offset(gradient, args.output_stride),
                                     offset(gradient, args.output_stride + key_width)};
  on(qkv.device(), [&](auto exec) { kernels::attention_backward(exec, args, gradients); });
  dx.add(gradient);
}

Tensor CrossAttention::forward(const Tensor& q, const Tensor& kv) {
  check_heads(name, options);
  KETTE_CHECK(q.shape().rank() == 2 && kv.shape().rank() == 2 &&
                  kv.width() * options.pattern.group == 2 * q.width(),
              name, ": expected queries [rows, width] and memory [rows, 2 * width",
              options.pattern.group > 1 ? " / group" : "", "], given ", q.str(), " and ", kv.str());
  KETTE_CHECK(q.dtype() == kv.dtype(), name, ": expected queries and memory of one type, given ",
              q.str(), " and ", kv.str());
  query = q;
  key_value = kv;
  AttentionArgs args = arguments(name, options, q, options.heads, kv, query_segments, key_segments);
  output = Tensor::empty(q.shape(), q.dtype(), q.device());
  log_sum_exp = statistics(q, options.heads);
  args.output = output.raw();
  args.log_sum_exp = log_sum_exp.raw();
  on(q.device(), [&](auto exec) { kernels::attention(exec, args); });
  return output;
}

void CrossAttention::backward(const Tensor& dy, GradientSlot& dq, GradientSlot& dkv) {
  AttentionArgs args =
      arguments(name, options, query, options.heads, key_value, query_segments, key_segments);
  args.output = output.raw();
  args.log_sum_exp = log_sum_exp.raw();
  const Tensor query_gradient = Tensor::empty(query.shape(), query.dtype(), query.device());
  const Tensor memory_gradient =
      Tensor::empty(key_value.shape(), key_value.dtype(), key_value.device());
  const AttentionGradients gradients{dy.raw(), query_gradient.raw(), memory_gradient.raw(),
                                     offset(memory_gradient, key_value.width() / 2)};
  on(query.device(), [&](auto exec) { kernels::attention_backward(exec, args, gradients); });
  dq.add(query_gradient);
  dkv.add(memory_gradient);
}

namespace {

Variable joined_columns(const std::vector<Variable>& parts) {
  Variable all = transpose(parts.front());
  for (std::size_t i = 1; i < parts.size(); ++i) all = concatenate(all, transpose(parts[i]));
  return transpose(all);
}

/// The mask of a head and sequence: terms added to its scores, and factors of its probabilities,
/// which are 0 for a query that sees nothing.
struct HeadMask {
  Variable scores, probabilities;
};
HeadMask mask_of(const AttentionOptions& options, std::int64_t head, std::int64_t first_row,
                 std::int64_t rows, std::int64_t queries, std::int64_t keys, std::int64_t longest,
                 const Tensor& like) {
  constexpr double kNotSeen = -1e30;
  const AttentionPattern& pattern = options.pattern;
  std::vector<double> scores(static_cast<std::size_t>(queries * keys)), kept(scores.size(), 1);
  bool has_factors = options.dropout.active();
  for (std::int64_t i = 0; i < queries; ++i) {
    const std::int64_t own = i + keys - queries;
    const bool sees_any = pattern.mask == Mask::none || own >= 0;
    has_factors = has_factors || !sees_any;
    for (std::int64_t j = 0; j < keys; ++j) {
      const bool is_seen =
          pattern.mask == Mask::none || (j <= own && j >= pattern.first_visible(own));
      scores[i * keys + j] =
          is_seen ? -pattern.slope(head, options.heads) * static_cast<double>(own - j) : kNotSeen;
      if (options.dropout.active()) {
        kept[i * keys + j] =
            static_cast<double>(options.dropout.at(head * rows + first_row + i, j, longest));
      }
      if (!sees_any) kept[i * keys + j] = 0;
    }
  }
  const auto constant = [&](const std::vector<double>& values) {
    return Variable(Tensor::from(values, {queries, keys}).to(like.dtype()).to(like.device()));
  };
  return {constant(scores), has_factors ? constant(kept) : Variable()};
}

/// By sequence and head. q, k, v: [rows, heads * head width].
Variable attend(const Variable& q, const Variable& k, const Variable& v,
                const AttentionOptions& options, const Segments& queries, const Segments& keys) {
  const std::int64_t w = q.value().width() / options.heads;
  Variable output;
  for (std::int64_t s = 0; s < queries.count(); ++s) {
    if (queries.length(s) == 0) continue;
    std::vector<Variable> heads;
    for (std::int64_t head = 0; keys.length(s) > 0 && head < options.heads; ++head) {
      const auto part = [&](const Variable& x, const Segments& segments, std::int64_t at) {
        return columns(slice(x, segments.begin(s), segments.end(s)), at * w, (at + 1) * w);
      };
      const std::int64_t of_keys = head / options.pattern.group;
      const HeadMask mask = mask_of(options, head, queries.begin(s), queries.rows(),
                                    queries.length(s), keys.length(s), keys.longest(), q.value());
      const Variable scores =
          affine(matmul(part(q, queries, head), part(k, keys, of_keys), false, true),
                 1 / std::sqrt(static_cast<double>(w)));
      Variable probabilities = softmax(scores + mask.scores);
      if (mask.probabilities.value().defined()) probabilities = probabilities * mask.probabilities;
      heads.push_back(matmul(probabilities, part(v, keys, of_keys)));
    }
    const Variable rows = heads.empty() ? affine(slice(q, queries.begin(s), queries.end(s)), 0)
                                        : joined_columns(heads);
    output = output.value().defined() ? concatenate(output, rows) : rows;
  }
  return output;
}

}  // namespace

Variable SelfAttention::composed(const std::array<Variable, 1>& in) const {
  const std::int64_t all = in[0].value().width(), width = options.query_width(all),
                     key_width = (all - width) / 2;
  return attend(columns(in[0], 0, width), columns(in[0], width, width + key_width),
                columns(in[0], width + key_width, all), options, segments, segments);
}

Variable CrossAttention::composed(const std::array<Variable, 2>& in) const {
  const std::int64_t key_width = in[1].value().width() / 2;
  return attend(in[0], columns(in[1], 0, key_width), columns(in[1], key_width, 2 * key_width),
                options, query_segments, key_segments);
}

std::vector<Sample> SelfAttention::samples() {
  const auto sample = [](const char* label, const std::vector<std::int64_t>& lengths,
                         std::int64_t head_width, AttentionOptions options) {
    const Segments segments = Segments::from_lengths(lengths);
    const std::int64_t width = options.heads * head_width,
                       key_width = options.key_heads() * head_width, all = width + 2 * key_width;
    return Sample{
        label,
        {{{segments.rows(), all}}},
        [=](const std::vector<Variable>& in) { return self_attention(in[0], segments, options); },
        [=](const std::vector<Values>& in) {
          const RowsView<const double> qkv{in[0].data(), all};
          return attention_reference(qkv, qkv.from(0, width), qkv.from(0, width + key_width),
                                     options, head_width, segments, segments);
        }};
  };
  return {sample("lengths 3 1 0 5, 2 heads of 4", {3, 1, 0, 5}, 4, {2, Mask::none, {}}),
          sample("lengths 3 1 0 5, 2 heads of 4, causal", {3, 1, 0, 5}, 4, {2, Mask::causal, {}}),
          sample("lengths 4 2, 1 head of 16, causal, dropout", {4, 2}, 16,
                 {1, Mask::causal, DropoutMask(0.3, {2, 3})}),
          sample("length 70, 1 head of 4, causal", {70}, 4, {1, Mask::causal, {}}),
          sample("lengths 3 1 0 5, 4 heads of 3 in pairs, causal", {3, 1, 0, 5}, 3,
                 {4, AttentionPattern(Mask::causal).in_groups_of(2), {}}),
          sample("lengths 2 7, 3 heads of 4 on one of the keys, dropout", {2, 7}, 4,
                 {3, AttentionPattern(Mask::none).in_groups_of(3), DropoutMask(0.3, {2, 3})}),
          sample("lengths 9 2, 2 heads of 4, window of 3", {9, 2}, 4,
                 {2, AttentionPattern(Mask::causal).within(3), {}}),
          sample("length 70, 2 heads of 4 in a pair, window of 9, dropout", {70}, 4,
                 {2, AttentionPattern(Mask::causal).in_groups_of(2).within(9),
                  DropoutMask(0.3, {2, 3})}),
          sample("lengths 5 3, 3 heads of 4, ALiBi", {5, 3}, 4,
                 {3, AttentionPattern(Mask::causal).with_slopes(), {}}),
          sample("length 40, 2 heads of 4 in a pair, ALiBi, window of 17", {40}, 4,
                 {2, AttentionPattern(Mask::causal).in_groups_of(2).within(17).with_slopes(), {}})};
}

std::vector<Sample> CrossAttention::samples() {
  const auto sample = [](const char* label, const std::vector<std::int64_t>& query_lengths,
                         const std::vector<std::int64_t>& key_lengths, std::int64_t head_width,
                         AttentionOptions options) {
    const Segments queries = Segments::from_lengths(query_lengths);
    const Segments keys = Segments::from_lengths(key_lengths);
    const std::int64_t key_width = options.key_heads() * head_width;
    return Sample{label,
                  {{{queries.rows(), options.heads * head_width}}, {{keys.rows(), 2 * key_width}}},
                  [=](const std::vector<Variable>& in) {
                    return cross_attention(in[0], in[1], queries, keys, options);
                  },
                  [=](const std::vector<Values>& in) {
                    const RowsView<const double> kv{in[1].data(), 2 * key_width};
                    return attention_reference({in[0].data(), options.heads * head_width}, kv,
                                               kv.from(0, key_width), options, head_width, queries,
                                               keys);
                  }};
  };
  return {sample("2 0 4 queries on 3 5 2 keys, 2 heads of 3", {2, 0, 4}, {3, 5, 2}, 3,
                 {2, Mask::none, {}}),
          sample("3 queries on 5 keys, causal", {3}, {5}, 4, {1, Mask::causal, {}}),
          sample("2 3 queries on 0 2 keys, causal", {2, 3}, {0, 2}, 4, {1, Mask::causal, {}}),
          sample("3 2 queries on 4 6 keys, dropout", {3, 2}, {4, 6}, 4,
                 {2, Mask::none, DropoutMask(0.5, {8, 9})}),
          sample("3 queries on 5 keys, 4 heads of 2 in pairs, window of 2, ALiBi", {3}, {5}, 2,
                 {4, AttentionPattern(Mask::causal).in_groups_of(2).within(2).with_slopes(), {}})};
}

}  // namespace kette::ops

namespace kette {

Variable self_attention(const Variable& qkv, const Segments& segments,
                        const AttentionOptions& options) {
  return record(ops::SelfAttention{options, segments}, qkv);
}

Variable cross_attention(const Variable& query, const Variable& key_value,
                         const Segments& query_segments, const Segments& key_segments,
                         const AttentionOptions& options) {
  return record(ops::CrossAttention{options, query_segments, key_segments}, query, key_value);
}

}  // namespace kette
