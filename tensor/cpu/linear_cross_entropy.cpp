// Label-smoothed cross entropy of a vocabulary projection, a chunk of rows at a time: three matrix
// products and, between them, one pass over the logits that turns each row into its gradient in
// place. With p = softmax(z), target t, smoothing s and V entries:
//   dloss / dz_v = p_v - s / V - (1 - s) [v = t]
#include <cmath>
#include <vector>

#include "tensor/cpu/parallel.h"
#include "tensor/kernels.h"

namespace kette::kernels {
namespace {

// A chunk's logits: few enough to stay near the processor, enough rows to repay reading the weights
// three times.
constexpr std::int64_t kChunkElements = std::int64_t{1} << 22;
constexpr std::int64_t kFewestRows = 512;

/// One row of logits; becomes its gradient when `gradient_scale` is not null.
template <class T>
CrossEntropySums reduce_row(T* z, std::int64_t vocabulary, std::int64_t target, double smoothing,
                            const double* gradient_scale) {
  T peak = -std::numeric_limits<T>::infinity(), sum = 0, total = 0;
#pragma omp simd reduction(max : peak) reduction(+ : sum)
  for (std::int64_t v = 0; v < vocabulary; ++v) {
    peak = scalar::max(peak, z[v]);
    sum += z[v];
  }
  const T wanted = z[target];
  bool correct = wanted == peak;
  if (correct) {  // of equals the first counts
    int earlier = 0;
#pragma omp simd reduction(| : earlier)
    for (std::int64_t v = 0; v < target; ++v) earlier |= z[v] == peak;
    correct = !earlier;
  }
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
  const double log_total = static_cast<double>(peak) + std::log(static_cast<double>(total));
  const double likelihood = log_total - static_cast<double>(wanted);
  const double mean = log_total - static_cast<double>(sum) / static_cast<double>(vocabulary);
  return {(1 - smoothing) * likelihood + smoothing * mean, likelihood, correct ? 1.0 : 0.0};
}

/// One chunk, with x, targets and dx already cut to its rows.
template <class T>
void reduce_chunk(const LinearCrossEntropyArgs& args, const Tensor& logits,
                  CrossEntropySums& sums) {
  const std::int64_t rows = args.x.rows(), vocabulary = args.weight.rows();
  const bool wants_gradients = args.dx.defined();
  const Tensor z = logits.slice(0, rows);
  MatmulArgs project = MatmulArgs::of(z, args.x, Matrix(args.weight).transposed());
  project.bias = args.bias.defined() ? args.bias.raw() : nullptr;
  matmul(CpuExec{}, project);

  std::vector<CrossEntropySums> losses(static_cast<std::size_t>(rows));
  T* first = z.data<T>();
  const std::int32_t* targets = args.targets.data<std::int32_t>();
  cpu::parallel_blocks(rows, 8, 16 * vocabulary, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      losses[row] = reduce_row(first + row * vocabulary, vocabulary, targets[row], args.smoothing,
                               wants_gradients ? &args.gradient_scale : nullptr);
    }
  });
  for (const CrossEntropySums& loss : losses) sums += loss;
  if (!wants_gradients) return;

  matmul(CpuExec{}, MatmulArgs::of(args.dx, z, args.weight));
  if (args.dweight.defined()) {
    matmul(CpuExec{}, MatmulArgs::of(args.dweight, Matrix(z).transposed(), args.x, 1, 1));
  }
  if (args.dbias.defined()) add_rows(CpuExec{}, z, args.dbias);
}

template <class T>
CrossEntropySums reduce(const LinearCrossEntropyArgs& args) {
  const std::int64_t rows = args.x.rows(), vocabulary = args.weight.rows();
  const std::int64_t chunk =
      std::min(rows, std::max(kFewestRows, kChunkElements / std::max<std::int64_t>(vocabulary, 1)));
  const Tensor logits = Tensor::empty({chunk, vocabulary}, dtype_of<T>);
  CrossEntropySums sums;
  for (std::int64_t begin = 0; begin < rows; begin += chunk) {
    reduce_chunk<T>(args.rows(begin, std::min(chunk, rows - begin)), logits, sums);
  }
  return sums;
}

/// bf16 is a storage type: the same in f32, which dweight and dbias are anyway, dx converted back.
CrossEntropySums reduce_in_f32(const LinearCrossEntropyArgs& args) {
  LinearCrossEntropyArgs wide = args;
  for (Tensor* tensor : {&wide.x, &wide.weight, &wide.bias, &wide.dx, &wide.dweight, &wide.dbias}) {
    if (tensor->defined()) *tensor = tensor->to(DType::f32);
  }
  const CrossEntropySums sums = reduce<float>(wide);
  if (args.dx.defined()) args.dx.copy_from(wide.dx.to(DType::bf16));
  return sums;
}

void check_targets(const LinearCrossEntropyArgs& args) {
  const std::int64_t rows = args.x.rows(), vocabulary = args.weight.rows();
  const std::int32_t* targets = args.targets.data<std::int32_t>();
  for (std::int64_t row = 0; row < rows; ++row) {
    KETTE_CHECK(targets[row] >= 0 && targets[row] < vocabulary,
                "linear_cross_entropy: expected targets of 0 to ", vocabulary - 1, ", given ",
                targets[row], " in row ", row);
  }
}

}  // namespace

void linear_cross_entropy(CpuExec, const LinearCrossEntropyArgs& args) {
  args.check();
  check_targets(args);
  const CrossEntropySums sums =
      visit_float(args.x.dtype(), "linear_cross_entropy", [&]<class T>(T) {
        if constexpr (std::is_same_v<T, BFloat16>) {
          return reduce_in_f32(args);
        } else {
          return reduce<T>(args);
        }
      });
  double* totals = args.sums.data<double>();
  totals[0] += sums.loss;
  totals[1] += sums.negative_log_likelihood;
  totals[2] += sums.correct;
  if (args.loss.defined()) *args.loss.data<double>() = sums.loss * args.gradient_scale;
}

}  // namespace kette::kernels
