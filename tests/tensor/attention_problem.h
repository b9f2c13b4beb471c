// An attention call with inputs of its own, for tests of the kernels.
#pragma once

#include <cmath>
#include <vector>

#include "tests/devices.h"
#include "tests/gap.h"
#include "tests/random_tensor.h"
#include "tests/reference.h"

namespace kette {

/// The largest difference between rows of so many elements, each in units of its row's largest one in
/// y: bf16 has eight bits of a value, whatever its size. At least of 0.1, for a row of two elements may cancel.
inline double largest_gap_of_rows(const std::vector<double>& x, const std::vector<double>& y,
                                  std::int64_t width) {
  double gap = 0;
  for (std::size_t begin = 0; begin < x.size(); begin += static_cast<std::size_t>(width)) {
    double scale = 0.1, difference = 0;
    for (std::size_t i = begin; i < begin + static_cast<std::size_t>(width); ++i) {
      scale = std::max(scale, std::abs(y[i]));
      const double here = x[i] == y[i] ? 0 : std::abs(x[i] - y[i]);  // infinities may be equal
      difference = larger_gap(difference, here);
    }
    gap = larger_gap(gap, difference / scale);
  }
  return gap;
}

/// Queries, keys and values side by side in fused rows, as a projection lays them out.
struct AttentionProblem {
  Tensor queries, keys_values, output,
      log_sum_exp;  // [rows, width], [rows, 2 key width], [rows, width]
  Tensor doutput, dqueries, dkeys_values;
  AttentionArgs args;
  AttentionGradients gradients;

  AttentionProblem(std::vector<std::int64_t> query_lengths, std::vector<std::int64_t> key_lengths,
                   std::int64_t heads, std::int64_t head_width, const AttentionPattern& pattern,
                   DropoutMask dropout, DType dtype = DType::f64, Device device = {}) {
    const std::int64_t width = heads * head_width, key_width = width / pattern.group;
    args.query_segments = Segments::from_lengths(query_lengths);
    args.key_segments = Segments::from_lengths(key_lengths);
    const std::int64_t query_rows = args.query_segments.rows(), key_rows = args.key_segments.rows();
    const Shape shape{query_rows, width}, fused{key_rows, 2 * key_width};
    const auto unset = [&](Shape extents, DType type) {
      return Tensor::full(extents, std::nan(""), type).to(device);
    };
    queries = random(shape, 1).to(dtype).to(device);
    keys_values = random(fused, 2).to(dtype).to(device);
    doutput = random(shape, 3).to(dtype).to(device);
    output = unset(shape, dtype);
    dqueries = unset(shape, dtype);
    dkeys_values = unset(fused, dtype);
    log_sum_exp = unset({heads, query_rows}, dtype == DType::f64 ? DType::f64 : DType::f32);
    const auto second = [&](const Tensor& both) {
      return static_cast<void*>(static_cast<char*>(both.raw()) +
                                static_cast<std::size_t>(key_width) * size_of(dtype));
    };
    args.dtype = dtype;
    args.query = queries.raw();
    args.key = keys_values.raw();
    args.value = second(keys_values);
    args.output = output.raw();
    args.log_sum_exp = log_sum_exp.raw();
    args.query_stride = args.output_stride = width;
    args.key_stride = args.value_stride = 2 * key_width;
    args.heads = heads;
    args.head_width = head_width;
    args.scale = 1 / std::sqrt(static_cast<double>(head_width));
    args.pattern = pattern;
    args.dropout = dropout;
    args.dropout_width = args.key_segments.longest();
    gradients = {doutput.raw(), dqueries.raw(), dkeys_values.raw(), second(dkeys_values)};
  }

  void run_forward() const {
    on(queries.device(), [&](auto exec) { kernels::attention(exec, args); });
  }
  void run_backward() const {
    on(queries.device(), [&](auto exec) { kernels::attention_backward(exec, args, gradients); });
  }
  void run() const {
    run_forward();
    run_backward();
  }

  /// [rows, head_width] of one sequence and head, from column `offset` of the fused rows.
  Tensor part(const Tensor& fused, const Segments& segments, std::int64_t sequence,
              std::int64_t head, std::int64_t offset = 0) const {
    const auto all = fused.values<double>();
    std::vector<double> values;
    for (std::int64_t row = segments.begin(sequence); row < segments.end(sequence); ++row) {
      for (std::int64_t e = 0; e < args.head_width; ++e) {
        const std::int64_t at = row * fused.width() + offset + head * args.head_width + e;
        values.push_back(all[at]);
      }
    }
    return Tensor::from(values, {segments.length(sequence), args.head_width});
  }
  Tensor mask_factors(std::int64_t sequence, std::int64_t head) const {
    if (!args.dropout.active()) return {};
    std::vector<double> values;
    for (std::int64_t i = args.query_segments.begin(sequence);
         i < args.query_segments.end(sequence); ++i) {
      for (std::int64_t j = 0; j < args.key_segments.length(sequence); ++j) {
        values.push_back(
            args.dropout.at(head * args.query_segments.rows() + i, j, args.dropout_width));
      }
    }
    return Tensor::from(values,
                        {args.query_segments.length(sequence), args.key_segments.length(sequence)});
  }
  /// What the reference makes of one sequence and head.
  Tensor expected(std::int64_t sequence, std::int64_t head) const {
    const std::int64_t of_keys = head / args.pattern.group;
    return reference::attention(
        part(queries, args.query_segments, sequence, head),
        part(keys_values, args.key_segments, sequence, of_keys),
        part(keys_values, args.key_segments, sequence, of_keys, keys_values.width() / 2),
        args.scale, args.pattern, mask_factors(sequence, head),
        args.pattern.slope(head, args.heads));
  }
  /// Of the output, head by head.
  double gap_to_reference() const {
    double gap = 0;
    for (std::int64_t sequence = 0; sequence < args.query_segments.count(); ++sequence) {
      for (std::int64_t head = 0; head < args.heads; ++head) {
        const Tensor got = part(output, args.query_segments, sequence, head);
        gap = larger_gap(
            gap, largest_gap_of_rows(got.values<double>(),
                                     expected(sequence, head).values<double>(), args.head_width));
      }
    }
    return gap;
  }
  /// Of output, statistics and gradients, after a run, to those in f64 on the CPU.
  double gap_to_f64() const {
    const auto lengths = [](const Segments& segments) {
      std::vector<std::int64_t> result;
      for (std::int64_t i = 0; i < segments.count(); ++i) result.push_back(segments.length(i));
      return result;
    };
    const AttentionProblem wide(lengths(args.query_segments), lengths(args.key_segments),
                                args.heads, args.head_width, args.pattern, args.dropout);
    wide.queries.copy_from(queries.to(Device{}).to(DType::f64));
    wide.keys_values.copy_from(keys_values.to(Device{}).to(DType::f64));
    wide.doutput.copy_from(doutput.to(Device{}).to(DType::f64));
    wide.run();
    double gap =
        largest_gap_of_rows(log_sum_exp.values<double>(), wide.log_sum_exp.values<double>(), 1);
    for (const auto& [narrow, exact] : {std::pair{output, wide.output},
                                        {dqueries, wide.dqueries},
                                        {dkeys_values, wide.dkeys_values}}) {
      gap = larger_gap(gap, largest_gap_of_rows(narrow.values<double>(), exact.values<double>(),
                                                args.head_width));
    }
    return gap;
  }
};

}  // namespace kette
