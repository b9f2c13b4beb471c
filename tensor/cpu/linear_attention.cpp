// Linear attention (tensor/linear_attention.h), by head and sequence, in chunks of rows.
#include "tensor/linear_attention.h"

#include "tensor/cpu/attention_head.h"
#include "tensor/kernels.h"

namespace kette::kernels {
namespace {

using cpu::Simd;
using linear_weights::Factor;
using linear_weights::Result;
using linear_weights::Sight;
using linear_weights::Sum;

constexpr std::int64_t kRowsAtOnce = cpu::kQueryBlock;

/// A thread's working memory. With a null start it only counts elements.
template <class C>
struct ChunkMemory {
  RowsView<C> x, y, z, sums;                // a chunk of rows
  RowsView<C> y_transposed, scores, state;  // in slices; [chunk, chunk]; [width of x, width]
  C* key_sum;                               // [width]
  std::int64_t elements;

  ChunkMemory(C* start, std::int64_t head_width) {
    cpu::Arena<C> arena(start);
    const std::int64_t width = cpu::round_up(head_width + 1, Simd<C>::kLanes),
                       columns = cpu::round_up(kRowsAtOnce, cpu::kTileWidth<C>);
    for (RowsView<C>* panel : {&x, &y, &z, &sums}) *panel = arena.take(kRowsAtOnce, width);
    y_transposed = arena.take(columns, width);
    scores = arena.take(kRowsAtOnce, columns);
    state = arena.take(head_width + 1, width);
    key_sum = arena.take(1, width).data;
    elements = arena.used();
  }
};

/// One head of one sequence.
template <class T>
struct LinearHead {
  using C = Compute<T>;
  linear_weights::Head<T> in;
  std::int64_t rows;
  ChunkMemory<C> memory;

  /// Loads rows of a factor, padded with zeros to whole vectors.
  void load(Factor factor, std::int64_t begin, std::int64_t count, RowsView<C> to) const {
    for (std::int64_t i = 0; i < count; ++i) {
      const T* from = in.row(factor, begin + i);
      C* row = to.row(i);
      std::fill(row + in.width, row + to.stride, C(0));
      if (factor == Factor::query || factor == Factor::key) {
#pragma omp simd
        for (std::int64_t e = 0; e < in.width; ++e) row[e] = linear_weights::phi(C(from[e]));
      } else if (factor == Factor::value) {
        for (std::int64_t e = 0; e < in.width; ++e) row[e] = C(from[e]);
        row[in.width] = 1;
      } else {
        const T* output = in.output + (begin + i) * in.output_stride;
        const C share = C(1) / in.denominator[begin + i];
        C dot = 0;
#pragma omp simd reduction(+ : dot)
        for (std::int64_t e = 0; e < in.width; ++e) {
          dot += C(from[e]) * C(output[e]);
          row[e] = share * C(from[e]);
        }
        row[in.width] = -share * dot;
      }
    }
  }

  /// Calls store(begin, count) for each chunk, with its sums in memory.sums, its x and its y.
  template <class Store>
  void sum(const Sum& of, Sight sight, const Store& store) const {
    constexpr std::int64_t kLanes = Simd<C>::kLanes, kSlice = cpu::kTileWidth<C>;
    const std::int64_t depth = in.width + of.extra_width(),
                       columns = cpu::round_up(in.width, kLanes),
                       chunks = cpu::ceil_div(rows, kRowsAtOnce);
    const auto chunk = [&](std::int64_t i) {
      const std::int64_t begin = (sight == Sight::after ? chunks - 1 - i : i) * kRowsAtOnce;
      return std::pair{begin, std::min(kRowsAtOnce, rows - begin)};
    };
    const auto add_to_state = [&](std::int64_t count, bool is_first) {
      cpu::multiply_slices<C>(depth, columns, count, 1, memory.y.transposed(), memory.z, kSlice,
                              C(!is_first), memory.state);
    };
    const auto add_from_state = [&](std::int64_t count, C beta) {
      cpu::multiply_slices<C>(count, columns, depth, 1, memory.x, memory.state, kSlice, beta,
                              memory.sums);
    };
    for (std::int64_t i = 0; sight == Sight::all && i < chunks; ++i) {
      const auto [begin, count] = chunk(i);
      load(of.y, begin, count, memory.y);
      load(of.z, begin, count, memory.z);
      add_to_state(count, i == 0);
    }
    for (std::int64_t i = 0; i < chunks; ++i) {
      const auto [begin, count] = chunk(i);
      load(of.x, begin, count, memory.x);
      if (sight == Sight::all) {
        add_from_state(count, 0);
      } else {
        load(of.y, begin, count, memory.y);
        load(of.z, begin, count, memory.z);
        cpu::transpose_panel<C>(memory.y, count, depth, memory.y_transposed.data);
        const std::int64_t slice = cpu::round_up(depth, kLanes) * kSlice;
        cpu::multiply_slices<C>(count, cpu::round_up(count, kLanes), depth, 1, memory.x,
                                {memory.y_transposed.data, kSlice}, slice, 0, memory.scores);
        for (std::int64_t row = 0; row < count; ++row) {
          C* scores = memory.scores.row(row);
          if (sight == Sight::before) {
            std::fill(scores + row + 1, scores + count, C(0));
          } else {
            std::fill(scores, scores + row, C(0));
          }
        }
        cpu::multiply_slices<C>(count, columns, count, 1, memory.scores, memory.z, kSlice, 0,
                                memory.sums);
        if (i > 0) add_from_state(count, 1);
        if (i + 1 < chunks) add_to_state(count, i == 0);
      }
      store(begin, count);
    }
  }

  void attend(Sight sight, T* output) const {
    C* key_sum = memory.key_sum;
    const auto add_key = [&](const C* key) {
#pragma omp simd
      for (std::int64_t e = 0; e < in.width; ++e) key_sum[e] += key[e];
    };
    std::fill_n(key_sum, in.width, C(0));
    for (std::int64_t begin = 0; sight == Sight::all && begin < rows; begin += kRowsAtOnce) {
      const std::int64_t count = std::min(kRowsAtOnce, rows - begin);
      load(Factor::key, begin, count, memory.y);
      for (std::int64_t i = 0; i < count; ++i) add_key(memory.y.row(i));
    }
    sum(Sum(Result::output), sight, [&](std::int64_t begin, std::int64_t count) {
      for (std::int64_t i = 0; i < count; ++i) {
        if (sight == Sight::before) add_key(memory.y.row(i));
        const C* query = memory.x.row(i);
        C weights = C(linear_weights::kEpsilon);
#pragma omp simd reduction(+ : weights)
        for (std::int64_t e = 0; e < in.width; ++e) weights += query[e] * key_sum[e];
        in.denominator[begin + i] = weights;
        const C share = C(1) / weights, *from = memory.sums.row(i);
        T* to = output + (begin + i) * in.output_stride;
#pragma omp simd
        for (std::int64_t e = 0; e < in.width; ++e) to[e] = share * from[e];
      }
    });
  }

  /// of: the gradient to compute; its rows go to `gradient`.
  template <class Written>
  void differentiate(Result result, Sight sight, Written* gradient, std::int64_t stride) const {
    sum(Sum(result), sight, [&](std::int64_t begin, std::int64_t count) {
      for (std::int64_t i = 0; i < count; ++i) {
        const C* from = memory.sums.row(i);
        Written* to = gradient + (begin + i) * stride;
        if (result == Result::value_gradient) {
          for (std::int64_t e = 0; e < in.width; ++e) to[e] = Written(from[e]);
          continue;
        }
        const T* x =
            in.row(result == Result::key_gradient ? Factor::key : Factor::query, begin + i);
#pragma omp simd
        for (std::int64_t e = 0; e < in.width; ++e) {
          to[e] = Written(from[e] * linear_weights::phi_slope(C(x[e])));
        }
      }
    });
  }
};

Sight sight_of(Result result, const AttentionPattern& pattern) {
  return pattern.mask == Mask::none ? Sight::all : Sum(result).sight;
}

}  // namespace

void linear_attention(CpuExec, const LinearAttentionArgs& args) {
  args.check();
  visit_float(args.dtype, "linear attention", [&]<class T>(T) {
    using C = Compute<T>;
    const linear_weights::Head<T> first(args);
    cpu::for_heads<C>(
        args.segments.count() * args.heads, ChunkMemory<C>(nullptr, args.head_width).elements, 0,
        [&](std::int64_t index, C* start, float*) {
          const std::int64_t sequence = index / args.heads, head = index % args.heads,
                             row = args.segments.begin(sequence);
          LinearHead<T>{
              first.at(head, row), args.segments.length(sequence), {start, args.head_width}}
              .attend(
                  sight_of(Result::output, args.pattern),
                  static_cast<T*>(args.output) + row * args.output_stride + head * args.head_width);
        });
  });
}

/// The three gradients of a head are independent tasks.
void linear_attention_backward(CpuExec, const LinearAttentionArgs& args,
                               const LinearAttentionGradients& gradients) {
  gradients.check(args);
  visit_float(args.dtype, "linear attention", [&]<class T>(T) {
    using C = Compute<T>;
    constexpr std::array kResults = {Result::query_gradient, Result::key_gradient,
                                     Result::value_gradient};
    const linear_weights::Head<T> first(args, gradients.output_gradient);
    const std::int64_t group = args.pattern.group,
                       shared_rows = group > 1 ? args.segments.rows() : 0;
    const cpu::SharedGradient<C> key(shared_rows, args.heads, args.head_width),
        value(shared_rows, args.heads, args.head_width);
    const std::int64_t each = args.heads * std::ssize(kResults);
    cpu::for_heads<C>(
        args.segments.count() * each, ChunkMemory<C>(nullptr, args.head_width).elements, 0,
        [&](std::int64_t index, C* start, float*) {
          const std::int64_t sequence = index / each, head = index % args.heads,
                             row = args.segments.begin(sequence);
          const Result result = kResults[index % each / args.heads];
          const LinearHead<T> of_head{
              first.at(head, row), args.segments.length(sequence), {start, args.head_width}};
          const Sight sight = sight_of(result, args.pattern);
          const bool of_query = result == Result::query_gradient;
          if (!of_query && group > 1) {
            const RowsView<C> part = (result == Result::key_gradient ? key : value).part(head, row);
            return of_head.differentiate(result, sight, part.data, part.stride);
          }
          void* to = of_query                         ? gradients.query
                     : result == Result::key_gradient ? gradients.key
                                                      : gradients.value;
          of_head.differentiate(result, sight,
                                static_cast<T*>(to) + row * args.stride + head * args.head_width,
                                args.stride);
        });
    if (group == 1) return;
    key.template add_up<T>(group, gradients.key, args.stride);
    value.template add_up<T>(group, gradients.value, args.stride);
  });
}

/// A line's first row processes all rows of the line, in order.
void linear_attention_step(CpuExec, const LinearStepArgs& args) {
  args.check();
  const std::int64_t heads = args.key_heads(), width = args.head_width();
  const std::int64_t units = args.output.rows() * heads;
  cpu::parallel_blocks(units, 1, 4 * width * width, [&](std::int64_t unit, std::int64_t) {
    const linear_weights::Step step(args);
    const std::int64_t head = unit % heads;
    thread_local std::vector<float> features;
    if (std::ssize(features) < 2 * width) features.resize(2 * static_cast<std::size_t>(width));
    float *key = features.data(), *query = key + width;
    for (std::int64_t row = unit / heads; step.continues(unit / heads, row); ++row) {
      const float *before = step.state_before(row, head), *value = step.value(row, head);
      float* state = step.state_of(row, head);
#pragma omp simd
      for (std::int64_t e = 0; e < width; ++e) key[e] = linear_weights::phi(step.key(row, head)[e]);
      for (std::int64_t i = 0; i < step.group; ++i) {
        const float* in = step.query(row, head * step.group + i);
        float *out = step.output(row, head * step.group + i), *key_sum = state + width * width;
        std::fill_n(out, width, 0.0f);
        float weights = float(linear_weights::kEpsilon);
#pragma omp simd
        for (std::int64_t e = 0; e < width; ++e) query[e] = linear_weights::phi(in[e]);
        for (std::int64_t e = 0; e < width; ++e) {
          float* sums = state + e * width;
          const float of_query = query[e], of_key = key[e];
          if (i > 0) {
#pragma omp simd
            for (std::int64_t j = 0; j < width; ++j) out[j] += of_query * sums[j];
          } else if (before == nullptr) {
#pragma omp simd
            for (std::int64_t j = 0; j < width; ++j) {
              sums[j] = of_key * value[j];
              out[j] += of_query * sums[j];
            }
          } else {
            const float* old = before + e * width;
#pragma omp simd
            for (std::int64_t j = 0; j < width; ++j) {
              sums[j] = old[j] + of_key * value[j];
              out[j] += of_query * sums[j];
            }
          }
        }
        for (std::int64_t e = 0; e < width; ++e) {
          if (i == 0) key_sum[e] = (before ? before[width * width + e] : 0.0f) + key[e];
          weights += query[e] * key_sum[e];
        }
#pragma omp simd
        for (std::int64_t e = 0; e < width; ++e) out[e] /= weights;
      }
    }
  });
}

}  // namespace kette::kernels
