// Label-smoothed cross entropy of a vocabulary projection, a chunk of rows at a time: three matrix
// products and, between them, one kernel that turns each row of logits into its gradient in place.
// With p = softmax(z), target t, smoothing s and V entries:
//   dloss / dz_v = p_v - s / V - (1 - s) [v = t]
#include <algorithm>
#include <span>
#include <vector>

#include "tensor/cuda/matmul_epilogue.h"
#include "tensor/cuda/pack.h"

namespace kette::kernels {
namespace {

using cuda::ceil_div, cuda::kPack, cuda::Pack;

constexpr std::int64_t kMostThreads = 512;
/// The most shared memory of a block on all GPUs of these architectures, less that of
/// block_reduce().
constexpr std::size_t kMostShared = (99 << 10) - 512;
/// A table with at least this many entries is padded to whole tiles of products: for odd extents
/// cuBLASLt uses kernels several times as slow.
constexpr std::int64_t kLargeTable = 1024, kTile = 128;

/// A chunk's logits, [rows, ld]; rows begin at whole packs.
template <class T>
struct Logits {
  T* data;
  std::int64_t ld, vocabulary;
  const std::int32_t* targets;
  bool fits;  ///< whether a row fits into shared memory for the second read
};

struct Smoothing {
  double share, gradient_scale;
  bool wants_gradients;
};

/// A block's results of one pass over its row of logits.
template <class C>
struct RowScan {
  C peak, total;  ///< total: the sum of exp(z - peak)
  C sum, wanted;
  bool correct;  ///< the target is the first of the largest

  __device__ void report(const Smoothing& smoothing, std::int64_t vocabulary, double* losses,
                         std::int64_t stride) const {
    const CrossEntropySums row = losses_of_row(*this, double(total), vocabulary, smoothing.share);
    losses[0] = row.loss;
    losses[stride] = row.negative_log_likelihood;
    losses[2 * stride] = row.correct;
  }
};

/// An invalid target gives NaN, since the host does not wait for a check.
template <class T>
__device__ RowScan<Compute<T>> scan_row(const T* z, T* again, std::int64_t vocabulary,
                                        std::int64_t target) {
  using C = Compute<T>;
  constexpr C kInfinity = std::numeric_limits<C>::infinity();
  const std::int64_t packs = (vocabulary + kPack<T> - 1) / kPack<T>;
  const bool exists = 0 <= target && target < vocabulary;
  const C wanted = exists ? C(z[target]) : std::numeric_limits<C>::quiet_NaN();

  // total is the sum of exp(z - peak) over what this thread has seen. The first peak is finite, so
  // that exp(-infinity - peak) is 0.
  C peak = std::numeric_limits<C>::lowest(), total = 0, sum = 0, beaten = 0;
  for (std::int64_t pack = threadIdx.x; pack < packs; pack += blockDim.x) {
    const auto loaded = Pack<T>::load(z, pack);
    if (again != z) loaded.store(again, pack);
    C values[kPack<T>];
    C highest = peak;
    for (int i = 0; i < kPack<T>; ++i) {
      const std::int64_t v = pack * kPack<T> + i;
      const bool inside = v < vocabulary;
      values[i] = inside ? C(loaded.values[i]) : -kInfinity;
      sum += inside ? values[i] : C(0);
      highest = scalar::max(values[i], highest);
      if (v < target ? values[i] >= wanted : values[i] > wanted) beaten = 1;  // ties: the first
    }
    total *= scalar::exp(peak - highest);
    peak = highest;
    for (int i = 0; i < kPack<T>; ++i) total += scalar::exp(values[i] - peak);
  }
  const C row_peak = cuda::block_max(peak);
  const C row_total = cuda::block_sum(total * scalar::exp(peak - row_peak));
  const C row_sum = cuda::block_sum(sum);
  const C row_beaten = cuda::block_max(beaten);
  return {row_peak, row_total, row_sum, wanted, exists && row_beaten == 0};
}

/// One block for each row. losses: [3, stride], a column of CrossEntropySums for each row.
template <class T>
__global__ void reduce_rows(Logits<T> logits, Smoothing smoothing, double* losses,
                            std::int64_t stride) {
  using C = Compute<T>;
  const std::int64_t row = blockIdx.x, vocabulary = logits.vocabulary;
  const std::int64_t packs = (vocabulary + kPack<T> - 1) / kPack<T>;
  T* z = logits.data + row * logits.ld;
  T* again = logits.fits ? cuda::shared_memory<T>() : z;  // each thread reads its own packs
  const std::int64_t target = logits.targets[row];
  const RowScan<C> scan = scan_row(z, again, vocabulary, target);
  if (threadIdx.x == 0) scan.report(smoothing, vocabulary, losses + row, stride);
  if (!smoothing.wants_gradients) return;

  const bool exists = 0 <= target && target < vocabulary;
  const double scale = exists ? smoothing.gradient_scale : double(scan.wanted);
  const C factor = C(scale / double(scan.total));
  const C everywhere = C(scale * smoothing.share / double(vocabulary));
  const C at_target = C(scale * (1 - smoothing.share));
  for (std::int64_t pack = threadIdx.x; pack < packs; pack += blockDim.x) {
    auto values = Pack<T>::load(again, pack);
    for (int i = 0; i < kPack<T>; ++i) {
      const std::int64_t v = pack * kPack<T> + i;
      const C gradient = factor * scalar::exp(C(values.values[i]) - scan.peak) - everywhere;
      values.values[i] = T(v >= vocabulary ? C(0) : v == target ? gradient - at_target : gradient);
    }
    values.store(z, pack);
  }
  // Padding entries have no gradient.
  for (std::int64_t pack = packs + threadIdx.x; pack < logits.ld / kPack<T>; pack += blockDim.x) {
    Pack<T>{}.store(z, pack);
  }
}

/// One block for each token; the logits of its other view are `tokens` rows further. With d = log
/// p - log q:
///   dKL(p || q) / dz_p = p (d - KL(p || q)),   dKL(p || q) / dz_q = q - p
template <class T>
__global__ void reduce_views(Logits<T> logits, std::int64_t tokens, TwoViews views,
                             Smoothing smoothing, double* losses, std::int64_t stride) {
  using C = Compute<T>;
  const std::int64_t token = blockIdx.x, vocabulary = logits.vocabulary;
  const std::int64_t packs = (vocabulary + kPack<T> - 1) / kPack<T>;
  T* first = logits.data + token * logits.ld;
  T* second = first + tokens * logits.ld;
  const std::int64_t target = logits.targets[token];
  const RowScan<C> of_first = scan_row(first, first, vocabulary, target);
  const RowScan<C> of_second = scan_row(second, second, vocabulary, target);

  C first_cross = 0, second_cross = 0;
  for (std::int64_t pack = threadIdx.x; pack < packs; pack += blockDim.x) {
    const auto ours = Pack<T>::load(first, pack), theirs = Pack<T>::load(second, pack);
    for (int i = 0; i < kPack<T> && pack * kPack<T> + i < vocabulary; ++i) {
      const C a = C(ours.values[i]) - of_first.peak, b = C(theirs.values[i]) - of_second.peak;
      first_cross += scalar::exp(a) * log_ratio(a, b);
      second_cross += scalar::exp(b) * log_ratio(b, a);
    }
  }
  const C gap = C(scalar::log(double(of_first.total)) - scalar::log(double(of_second.total)));
  const C forward = cuda::block_sum(first_cross) / of_first.total - gap;
  const C reverse = cuda::block_sum(second_cross) / of_second.total + gap;
  if (threadIdx.x == 0) {
    double of_other[3];
    of_second.report(smoothing, vocabulary, of_other, 1);
    of_first.report(smoothing, vocabulary, losses + token, stride);
    losses[token] += views.second * of_other[0] + views.forward * double(forward) +
                     views.reverse * double(reverse);
  }
  if (!smoothing.wants_gradients) return;

  const bool exists = 0 <= target && target < vocabulary;
  const double scale = exists ? smoothing.gradient_scale : double(of_first.wanted);
  const C one = C(scale), other = C(scale * views.second);
  const C to_first = C(scale * views.reverse), to_second = C(scale * views.forward);
  const C share = C(smoothing.share / double(vocabulary)), rest = C(1 - smoothing.share);
  for (std::int64_t pack = threadIdx.x; pack < packs; pack += blockDim.x) {
    auto ours = Pack<T>::load(first, pack), theirs = Pack<T>::load(second, pack);
    for (int i = 0; i < kPack<T>; ++i) {
      const std::int64_t v = pack * kPack<T> + i;
      const C a = C(ours.values[i]) - of_first.peak, b = C(theirs.values[i]) - of_second.peak;
      const C p = scalar::exp(a) / of_first.total, q = scalar::exp(b) / of_second.total;
      const C d = log_ratio(a, b) - gap, wanted = share + (v == target ? rest : C(0));
      const C of_p = one * (p - wanted) + to_second * p * (d - forward) + to_first * (p - q);
      const C of_q = other * (q - wanted) + to_second * (q - p) - to_first * q * (d + reverse);
      ours.values[i] = T(v < vocabulary ? of_p : C(0));
      theirs.values[i] = T(v < vocabulary ? of_q : C(0));
    }
    ours.store(first, pack);
    theirs.store(second, pack);
  }
  for (std::int64_t pack = packs + threadIdx.x; pack < logits.ld / kPack<T>; pack += blockDim.x) {
    Pack<T>{}.store(first, pack);
    Pack<T>{}.store(second, pack);
  }
}

/// sums[block] += the sum of losses[block, :]; *loss, unless null: the first of them, scaled.
__global__ void add_losses(const double* losses, std::int64_t rows, double scale, double* sums,
                           double* loss) {
  const double* mine = losses + blockIdx.x * rows;
  double sum = 0;
  for (std::int64_t row = threadIdx.x; row < rows; row += blockDim.x) sum += mine[row];
  sum = cuda::block_sum(sum);
  if (threadIdx.x > 0) return;
  sums[blockIdx.x] += sum;
  if (loss && blockIdx.x == 0) *loss = scale * sum;
}

/// The table, its bias and its gradient, padded with rows of zeros for products in whole tiles.
struct PaddedTable {
  std::int64_t rows = 0;
  Tensor weight, bias, dweight;

  explicit PaddedTable(const LinearCrossEntropyArgs& args)
      : rows(args.weight.rows()),
        weight(args.weight),
        bias(args.bias),
        dweight(args.dx.defined() ? args.dweight : Tensor()) {
    if (rows < kLargeTable || rows % kTile == 0) return;
    const std::int64_t width = weight.width();
    rows = cuda::round_up(rows, kTile);
    const auto padded = [&](const Tensor& tensor, Shape shape) {
      const Tensor result = Tensor::empty(shape, tensor.dtype(), tensor.device());
      const std::int64_t used = tensor.elements(), unused = result.elements() - used;
      result.view(0, tensor.shape()).copy_from(tensor);
      result.view(used, {unused}).zero();
      return result;
    };
    weight = padded(weight, {rows, width});
    if (bias.defined()) bias = padded(bias, {rows});
    if (dweight.defined()) dweight = padded(dweight, {rows, width});
  }

  /// Copies the padded gradient back to `given`.
  void finish(const Tensor& given) const {
    if (dweight.defined() && dweight.raw() != given.raw()) {
      given.copy_from(dweight.view(0, given.shape()));
    }
  }
};

/// One chunk, with x, targets and dx cut to its rows, for one view of its tokens or two. losses:
/// from its first token on.
template <class T>
void reduce_chunk(CudaExec exec, std::span<const LinearCrossEntropyArgs> views,
                  const PaddedTable& table, const Tensor& logits, double* losses,
                  std::int64_t stride) {
  const LinearCrossEntropyArgs& args = views.front();
  const std::int64_t rows = args.x.rows(), vocabulary = args.weight.rows();
  const std::int64_t ld = logits.width();
  const auto logits_of = [&](std::size_t view) {
    const auto begin = static_cast<std::int64_t>(view) * rows;
    return Matrix(logits.slice(begin, begin + rows)).columns(0, table.rows);
  };
  for (std::size_t i = 0; i < views.size(); ++i) {
    MatmulArgs project =
        MatmulArgs::of(logits_of(i), views[i].x, Matrix(table.weight).transposed());
    project.bias = table.bias.defined() ? table.bias.raw() : nullptr;
    matmul(exec, project);
  }

  T* z = logits.data<T>();
  const std::int64_t warps = std::max<std::int64_t>(1, ceil_div(ld, kPack<T> * cuda::kWarp));
  const auto threads = static_cast<unsigned>(std::min(kMostThreads, warps * cuda::kWarp));
  const std::size_t row_bytes = static_cast<std::size_t>(ld) * sizeof(T);
  const bool fits = args.dx.defined() && !args.views && row_bytes <= kMostShared;
  const cuda::Grid blocks{dim3(static_cast<unsigned>(rows)), dim3(threads), fits ? row_bytes : 0};
  const Logits<T> of_chunk{z, ld, vocabulary, args.targets.data<std::int32_t>(), fits};
  const Smoothing smoothing{args.smoothing, args.gradient_scale, args.dx.defined()};
  if (args.views) {
    cuda::launch(exec, reduce_views<T>, blocks, of_chunk, rows, *args.views, smoothing, losses,
                 stride);
  } else {
    cuda::launch(exec, reduce_rows<T>, blocks, of_chunk, smoothing, losses, stride);
  }
  if (!args.dx.defined()) return;

  for (std::size_t i = 0; i < views.size(); ++i) {
    matmul(exec, MatmulArgs::of(views[i].dx, logits_of(i), table.weight));
    if (table.dweight.defined()) {
      matmul(exec, MatmulArgs::of(table.dweight, logits_of(i).transposed(), views[i].x, 1, 1));
    }
    if (args.dbias.defined()) {
      cuda::add_rows(exec, z + static_cast<std::int64_t>(i) * rows * ld, rows, vocabulary, ld,
                     args.dbias.data<Compute<T>>());
    }
  }
}

/// Rows whose logits are held at once. It depends on the device's total memory, not on the free
/// memory, since another number gives other last bits.
std::int64_t rows_at_once(const Tensor& x, std::int64_t row_bytes) {
  constexpr std::int64_t kShare = 32, kWhole = 256;
  const auto capacity = static_cast<std::int64_t>(backend(x.device()).capacity());
  const std::int64_t rows = std::max<std::int64_t>(1, capacity / kShare / row_bytes);
  return rows < kWhole ? rows : rows / kWhole * kWhole;
}

template <class T>
void reduce(CudaExec exec, const LinearCrossEntropyArgs& args) {
  const std::int64_t tokens = args.tokens();
  const std::int64_t each = args.views ? 2 : 1;  // rows per token
  const PaddedTable table(args);
  const std::int64_t ld = cuda::round_up(table.rows, kPack<T>);
  const std::int64_t chunk =
      std::min(tokens, rows_at_once(args.x, each * ld * static_cast<std::int64_t>(sizeof(T))));
  const Tensor logits = Tensor::empty({each * chunk, ld}, dtype_of<T>, args.x.device());
  const Tensor losses = Tensor::empty({3, tokens}, DType::f64, args.x.device());
  for (std::int64_t begin = 0; begin < tokens; begin += chunk) {
    const std::int64_t count = std::min(chunk, tokens - begin);
    std::vector<LinearCrossEntropyArgs> views = {args.rows(begin, count)};
    if (args.views) views.push_back(args.rows(tokens + begin, count));
    reduce_chunk<T>(exec, views, table, logits, losses.data<double>() + begin, tokens);
  }
  table.finish(args.dweight);
  cuda::launch(exec, add_losses, {dim3(3), dim3(cuda::kThreads)}, losses.data<double>(), tokens,
               args.gradient_scale, args.sums.data<double>(),
               args.loss.defined() ? args.loss.data<double>() : nullptr);
}

}  // namespace

void linear_cross_entropy(CudaExec exec, const LinearCrossEntropyArgs& args) {
  args.check();
  if (args.x.rows() == 0) {
    if (args.loss.defined()) args.loss.zero();
    return;
  }
  visit_float(args.x.dtype(), "linear_cross_entropy", [&]<class T>(T) { reduce<T>(exec, args); });
}

}  // namespace kette::kernels
