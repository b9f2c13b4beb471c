// Label-smoothed cross entropy of a vocabulary projection, a chunk of rows at a time: three matrix
// products and, between them, one pass over the logits that turns each row into its gradient in
// place. With bf16 weights the logits are f32 and their gradients bf16. With p = softmax(z), target
// t, smoothing s and V entries:
//   dloss / dz_v = p_v - s / V - (1 - s) [v = t]
#include <cmath>
#include <span>
#include <vector>

#include "tensor/cpu/parallel.h"
#include "tensor/kernels.h"

namespace kette::kernels {
namespace {

// Logits of a chunk: few enough to stay in cache, with enough rows to be worth reading the weights
// three times.
constexpr std::int64_t kChunkElements = std::int64_t{1} << 22;
constexpr std::int64_t kFewestRows = 512;

/// The results of one pass over a row of logits.
template <class T>
struct RowScan {
  T peak = -std::numeric_limits<T>::infinity(), sum = 0;
  T wanted;      ///< the target's
  bool correct;  ///< the target is the first of the largest

  RowScan(const T* z, std::int64_t vocabulary, std::int64_t target) : wanted(z[target]) {
    T highest = peak, all = 0;
#pragma omp simd reduction(max : highest) reduction(+ : all)
    for (std::int64_t v = 0; v < vocabulary; ++v) {
      highest = scalar::max(highest, z[v]);
      all += z[v];
    }
    peak = highest;
    sum = all;
    correct = wanted == peak;
    if (!correct) return;
    int earlier = 0;
#pragma omp simd reduction(| : earlier)
    for (std::int64_t v = 0; v < target; ++v) earlier |= z[v] == highest;
    correct = !earlier;
  }
};

/// The losses of one row of logits, which becomes its gradient if `gradient_scale` is not null.
template <class T>
CrossEntropySums reduce_row(T* z, std::int64_t vocabulary, std::int64_t target, double smoothing,
                            const double* gradient_scale) {
  const RowScan<T> row(z, vocabulary, target);
  const T peak = row.peak;
  T total = 0;
  if (gradient_scale) {
#pragma omp simd reduction(+ : total)
    for (std::int64_t v = 0; v < vocabulary; ++v) {
      z[v] = scalar::exp(z[v] - peak);
      total += z[v];
    }
    const T factor = static_cast<T>(*gradient_scale / static_cast<double>(total));
    const T everywhere =
        static_cast<T>(*gradient_scale * smoothing / static_cast<double>(vocabulary));
#pragma omp simd
    for (std::int64_t v = 0; v < vocabulary; ++v) z[v] = factor * z[v] - everywhere;
    z[target] -= static_cast<T>(*gradient_scale * (1 - smoothing));
  } else {
#pragma omp simd reduction(+ : total)
    for (std::int64_t v = 0; v < vocabulary; ++v) total += scalar::exp(z[v] - peak);
  }
  return losses_of_row(row, static_cast<double>(total), vocabulary, smoothing);
}

/// Likewise for the rows of logits of two views of a token. With d = log p - log q:
///   dKL(p || q) / dz_p = p (d - KL(p || q)),   dKL(p || q) / dz_q = q - p
template <class T>
CrossEntropySums reduce_views(T* first, T* second, std::int64_t vocabulary, std::int64_t target,
                              double smoothing, const TwoViews& views,
                              const double* gradient_scale) {
  const RowScan<T> of_first(first, vocabulary, target), of_second(second, vocabulary, target);
  const T first_peak = of_first.peak, second_peak = of_second.peak;
  T first_total = 0, second_total = 0, first_cross = 0, second_cross = 0;
#pragma omp simd reduction(+ : first_total, second_total, first_cross, second_cross)
  for (std::int64_t v = 0; v < vocabulary; ++v) {
    const T a = first[v] - first_peak, b = second[v] - second_peak;
    const T exp_a = scalar::exp(a), exp_b = scalar::exp(b);
    first_total += exp_a;
    second_total += exp_b;
    first_cross += exp_a * log_ratio(a, b);
    second_cross += exp_b * log_ratio(b, a);
  }
  const T gap = static_cast<T>(std::log(static_cast<double>(first_total)) -
                               std::log(static_cast<double>(second_total)));
  const T forward = first_cross / first_total - gap, reverse = second_cross / second_total + gap;
  const auto losses = [&](const RowScan<T>& scan, T total) {
    return losses_of_row(scan, static_cast<double>(total), vocabulary, smoothing);
  };
  CrossEntropySums sums = losses(of_first, first_total);
  sums.loss += views.second * losses(of_second, second_total).loss +
               views.forward * static_cast<double>(forward) +
               views.reverse * static_cast<double>(reverse);
  if (!gradient_scale) return sums;

  const auto scaled = [&](double weight) { return static_cast<T>(*gradient_scale * weight); };
  const T one = scaled(1), other = scaled(views.second), to_first = scaled(views.reverse),
          to_second = scaled(views.forward);
  const T everywhere = scaled(smoothing / static_cast<double>(vocabulary));
  const T second_everywhere = everywhere * static_cast<T>(views.second);
#pragma omp simd
  for (std::int64_t v = 0; v < vocabulary; ++v) {
    const T a = first[v] - first_peak, b = second[v] - second_peak, d = log_ratio(a, b) - gap;
    const T p = scalar::exp(a) / first_total, q = scalar::exp(b) / second_total;
    first[v] = one * p - everywhere + to_second * p * (d - forward) + to_first * (p - q);
    second[v] = other * q - second_everywhere + to_second * (q - p) - to_first * q * (d + reverse);
  }
  first[target] -= scaled(1 - smoothing);
  second[target] -= scaled(views.second * (1 - smoothing));
  return sums;
}

/// Working memory of a chunk. T: the type of x and of the weights.
template <class T>
struct Chunk {
  Tensor logits;     ///< [rows, vocabulary] in Compute<T>
  Tensor gradients;  ///< of the logits, in T; the logits themselves if the types are equal

  Chunk(std::int64_t rows, std::int64_t vocabulary, bool wants_gradients)
      : logits(Tensor::empty({rows, vocabulary}, dtype_of<Compute<T>>)), gradients(logits) {
    if (!std::is_same_v<T, Compute<T>> && wants_gradients) {
      gradients = Tensor::empty({rows, vocabulary}, dtype_of<T>);
    }
  }
};

/// One chunk, with x, targets and dx cut to its rows, for one view of its tokens or two.
template <class T>
void reduce_chunk(std::span<const LinearCrossEntropyArgs> views, const Chunk<T>& chunk,
                  CrossEntropySums& sums) {
  using C = Compute<T>;
  const LinearCrossEntropyArgs& args = views.front();
  const std::int64_t rows = args.x.rows(), vocabulary = args.weight.rows(), all = std::ssize(views);
  const bool wants_gradients = args.dx.defined();
  const auto rows_of = [&](const Tensor& whole, std::int64_t view) {
    return whole.slice(view * rows, (view + 1) * rows);
  };
  for (std::int64_t i = 0; i < all; ++i) {
    matmul(CpuExec{},
           MatmulArgs::of(rows_of(chunk.logits, i), views[i].x, Matrix(args.weight).transposed()));
  }

  std::vector<CrossEntropySums> losses(static_cast<std::size_t>(rows));
  C* first = chunk.logits.template data<C>();
  const T* bias = args.bias.defined() ? args.bias.data<T>() : nullptr;
  const std::int32_t* targets = args.targets.data<std::int32_t>();
  const double* gradient_scale = wants_gradients ? &args.gradient_scale : nullptr;
  const auto each_view = [&](std::int64_t row, const auto& visit) {
    for (std::int64_t i = 0; i < all; ++i) visit((i * rows + row) * vocabulary);
  };
  cpu::parallel_blocks(rows, 8, 16 * vocabulary, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      if (bias != nullptr) {
        each_view(row, [&](std::int64_t at) {
#pragma omp simd
          for (std::int64_t v = 0; v < vocabulary; ++v) first[at + v] += C(bias[v]);
        });
      }
      C* z = first + row * vocabulary;
      losses[row] = args.views
                        ? reduce_views(z, z + rows * vocabulary, vocabulary, targets[row],
                                       args.smoothing, *args.views, gradient_scale)
                        : reduce_row(z, vocabulary, targets[row], args.smoothing, gradient_scale);
      if (!std::is_same_v<T, C> && wants_gradients) {
        T* rounded = chunk.gradients.template data<T>();
        each_view(row, [&](std::int64_t at) {
#pragma omp simd
          for (std::int64_t v = 0; v < vocabulary; ++v) rounded[at + v] = first[at + v];
        });
      }
    }
  });
  for (const CrossEntropySums& loss : losses) sums += loss;
  if (!wants_gradients) return;

  for (std::int64_t i = 0; i < all; ++i) {
    const Tensor dz = rows_of(chunk.gradients, i);
    matmul(CpuExec{}, MatmulArgs::of(views[i].dx, dz, args.weight));
    if (args.dweight.defined()) {
      matmul(CpuExec{}, MatmulArgs::of(args.dweight, Matrix(dz).transposed(), views[i].x, 1, 1));
    }
    if (args.dbias.defined()) add_rows(CpuExec{}, dz, args.dbias);
  }
}

template <class T>
CrossEntropySums reduce(const LinearCrossEntropyArgs& args) {
  const std::int64_t tokens = args.tokens(), vocabulary = args.weight.rows();
  const std::int64_t each = args.views ? 2 : 1;  // rows per token
  const std::int64_t most =
      std::max(kFewestRows, kChunkElements / std::max<std::int64_t>(vocabulary, 1));
  const std::int64_t longest = std::min(tokens, most / each);
  const Chunk<T> chunk(each * longest, vocabulary, args.dx.defined());
  CrossEntropySums sums;
  for (std::int64_t begin = 0; begin < tokens; begin += longest) {
    const std::int64_t count = std::min(longest, tokens - begin);
    std::vector<LinearCrossEntropyArgs> views = {args.rows(begin, count)};
    if (args.views) views.push_back(args.rows(tokens + begin, count));
    reduce_chunk<T>(views, chunk, sums);
  }
  return sums;
}

}  // namespace

void linear_cross_entropy(CpuExec, const LinearCrossEntropyArgs& args) {
  args.check();
  args.check_targets();
  const CrossEntropySums sums = visit_float(args.x.dtype(), "linear_cross_entropy",
                                            [&]<class T>(T) { return reduce<T>(args); });
  double* totals = args.sums.data<double>();
  totals[0] += sums.loss;
  totals[1] += sums.negative_log_likelihood;
  totals[2] += sums.correct;
  if (args.loss.defined()) *args.loss.data<double>() = sums.loss * args.gradient_scale;
}

}  // namespace kette::kernels
