// Kernels that mostly move memory: fill, convert, accumulate, scale, transpose, scatter-add, and
// the steps of optimisers.
#include <algorithm>

#include "tensor/adam_update.h"
#include "tensor/converted.h"
#include "tensor/cuda/launch.h"
#include "tensor/cuda/pack.h"
#include "tensor/lion_update.h"

namespace kette::kernels {
namespace {

using cuda::index, cuda::launch, cuda::one_thread_each;

template <class T>
__global__ void fill_elements(std::int64_t count, T value, T* y) {
  if (const std::int64_t i = index(); i < count) y[i] = value;
}

template <class From, class To>
__global__ void cast_elements(std::int64_t count, const From* x, To* y) {
  if (const std::int64_t i = index(); i < count) {
    y[i] = static_cast<To>(converted<Compute<To>>(static_cast<Compute<From>>(x[i])));
  }
}

template <class T, class Sum>
__global__ void accumulate_elements(std::int64_t count, const T* x, Sum* y) {
  using C = Compute<T>;
  if (const std::int64_t i = index(); i < count) y[i] = Sum(C(y[i]) + C(x[i]));
}

template <class T, class F>
__global__ void scale_elements(std::int64_t count, const F* factor, T* y) {
  const Compute<T> by = static_cast<Compute<T>>(static_cast<Compute<F>>(*factor));
  if (const std::int64_t i = index(); i < count && by != 1) y[i] = T(Compute<T>(y[i]) * by);
}

__global__ void increment_elements(std::int64_t count, std::int32_t* y) {
  if (const std::int64_t i = index(); i < count) ++y[i];
}

template <class Update>
__global__ void update_elements(std::int64_t count, Update update) {
  __shared__ double scale;
  if (threadIdx.x == 0) scale = static_cast<double>(update.gradient_scale());
  __syncthreads();
  if (const std::int64_t i = index(); i < count) update(i, scale);
}

template <template <class, bool> class Update, class Args>
void update_all(CudaExec exec, const Args& args) {
  const std::int64_t count = args.update.parameters.elements();
  visit_update<Update>(args, [&]<class Kind>(const Kind& update) {
    launch(exec, update_elements<Kind>, one_thread_each(count), count, update);
  });
}

constexpr int kTile = 32, kTileRows = 8;

/// A tile of 32 x 32 goes through shared memory, so that both reads and writes are along rows.
template <class T>
__global__ void transpose_tiles(std::int64_t rows, std::int64_t columns, const T* x, T* y) {
  T* tile = cuda::shared_memory<T>();  // [kTile, kTile + 1]: columns in different banks
  const std::int64_t matrix = blockIdx.z * rows * columns;
  const std::int64_t left = std::int64_t{blockIdx.x} * kTile,
                     top = std::int64_t{blockIdx.y} * kTile;
  for (std::int64_t r = threadIdx.y; r < kTile; r += kTileRows) {
    const std::int64_t row = top + r, column = left + threadIdx.x;
    if (row < rows && column < columns) {
      tile[r * (kTile + 1) + threadIdx.x] = x[matrix + row * columns + column];
    }
  }
  __syncthreads();
  for (std::int64_t r = threadIdx.y; r < kTile; r += kTileRows) {
    const std::int64_t row = left + r, column = top + threadIdx.x;  // of the result
    if (row < columns && column < rows) {
      y[matrix + row * rows + column] = tile[threadIdx.x * (kTile + 1) + r];
    }
  }
}

constexpr int kLoadsInFlight = 8;

/// sums[0 .. kCount) += row i's elements from column on, over the rows given by row_of(i).
template <class T, int kCount, class RowOf>
__device__ void add_up(const T* x, std::int64_t packs, std::int64_t pack, int begin, int end,
                       RowOf row_of, Compute<T> (&sums)[kCount]) {
  using Elements = cuda::Pack<T, kCount>;
  const auto add = [&](const Elements& elements) {
    for (int k = 0; k < kCount; ++k) sums[k] += Compute<T>(elements.values[k]);
  };
  int i = begin;
  for (; i + kLoadsInFlight <= end; i += kLoadsInFlight) {
    Elements loaded[kLoadsInFlight];
    for (int load = 0; load < kLoadsInFlight; ++load) {
      loaded[load] = Elements::load(x, row_of(i + load) * packs + pack);
    }
    for (int load = 0; load < kLoadsInFlight; ++load) add(loaded[load]);
  }
  for (; i < end; ++i) add(Elements::load(x, row_of(i) * packs + pack));
}

/// entry[pack] += factor * sums
template <class C, int kCount>
__device__ void add_to_entry(const C (&sums)[kCount], C factor, C* entry, std::int64_t pack) {
  constexpr int kStored = kCount < cuda::kPack<C> ? kCount : cuda::kPack<C>;
  using Elements = cuda::Pack<C, kStored>;
  for (int part = 0; part < kCount / kStored; ++part) {
    const std::int64_t at = pack * (kCount / kStored) + part;
    Elements elements = Elements::load(entry, at);
    for (int k = 0; k < kStored; ++k) elements.values[k] += factor * sums[part * kStored + k];
    elements.store(entry, at);
  }
}

/// A block for each piece; `packs` are those of a row.
template <class T, int kCount, class C = Compute<T>>
__global__ void add_pieces(const std::int32_t* rows, const Occurrences::Piece* pieces,
                           std::int64_t packs, C factor, const T* dy, C* partial, C* table) {
  const Occurrences::Piece piece = pieces[blockIdx.x];
  const std::int64_t width = packs * kCount;
  const auto row_of = [=](int i) { return std::int64_t{rows[i]}; };
  for (std::int64_t pack = threadIdx.x; pack < packs; pack += blockDim.x) {
    C sums[kCount] = {};
    add_up<T, kCount>(dy, packs, pack, piece.begin, piece.end, row_of, sums);
    if (piece.partial < 0) {
      add_to_entry(sums, factor, table + piece.entry * width, pack);
    } else {
      C* out = partial + piece.partial * width + pack * kCount;
      for (int k = 0; k < kCount; ++k) out[k] = sums[k];
    }
  }
}

/// A block for each frequent entry.
template <class C, int kCount>
__global__ void add_frequent(const Occurrences::Frequent* frequent, std::int64_t packs, C factor,
                             const C* partial, C* table) {
  const Occurrences::Frequent entry = frequent[blockIdx.x];
  const auto row_of = [](int i) { return std::int64_t{i}; };
  for (std::int64_t pack = threadIdx.x; pack < packs; pack += blockDim.x) {
    C sums[kCount] = {};
    add_up<C, kCount>(partial, packs, pack, entry.begin, entry.end, row_of, sums);
    add_to_entry(sums, factor, table + entry.entry * packs * kCount, pack);
  }
}

/// The tables of Occurrences, concatenated and copied to the device in one copy.
Tensor upload(const Occurrences& occurrences, Device device) {
  std::vector<std::int32_t> words = occurrences.rows();
  for (const Occurrences::Piece& piece : occurrences.pieces()) {
    words.insert(words.end(), {piece.entry, piece.begin, piece.end, piece.partial});
  }
  for (const Occurrences::Frequent& entry : occurrences.frequent()) {
    words.insert(words.end(), {entry.entry, entry.begin, entry.end});
  }
  return Tensor::from(words, device);
}

/// kCount elements of T, kSumCount of C at once.
template <class T, int kCount, int kSumCount>
void add_occurrences(CudaExec exec, const Tensor& dy, const Occurrences& occurrences,
                     const Tensor& table, double factor) {
  using C = Compute<T>;
  const auto grid = [&](const auto& each, std::int64_t packs) {
    const std::int64_t threads =
        std::min<std::int64_t>(cuda::kThreads, cuda::round_up(packs, cuda::kWarp));
    return cuda::Grid{dim3(static_cast<unsigned>(each.size())),
                      dim3(static_cast<unsigned>(threads))};
  };
  const auto& pieces = occurrences.pieces();
  const auto& frequent = occurrences.frequent();
  const Tensor words = upload(occurrences, table.device());
  const auto* rows = words.data<std::int32_t>();
  const auto* first_piece =
      reinterpret_cast<const Occurrences::Piece*>(rows + occurrences.rows().size());
  const auto* first_frequent =
      reinterpret_cast<const Occurrences::Frequent*>(first_piece + pieces.size());
  const std::int64_t width = table.width();
  const Tensor partial =
      Tensor::empty({occurrences.partial_sums(), width}, dtype_of<C>, table.device());
  launch(exec, add_pieces<T, kCount>, grid(pieces, width / kCount), rows, first_piece,
         width / kCount, factor, dy.data<T>(), partial.data<C>(), table.data<C>());
  launch(exec, add_frequent<C, kSumCount>, grid(frequent, width / kSumCount), first_frequent,
         width / kSumCount, factor, partial.data<C>(), table.data<C>());
}

}  // namespace

void fill(CudaExec exec, const Tensor& y, double value) {
  visit_any(y.dtype(), "fill", [&]<class T>(T) {
    launch(exec, fill_elements<T>, one_thread_each(y.elements()), y.elements(),
           static_cast<T>(converted<Compute<T>>(value)), y.data<T>());
  });
}

void cast(CudaExec exec, const Tensor& x, const Tensor& y) {
  visit_any(x.dtype(), "convert", [&]<class From>(From) {
    visit_any(y.dtype(), "convert", [&]<class To>(To) {
      launch(exec, cast_elements<From, To>, one_thread_each(x.elements()), x.elements(),
             x.data<From>(), y.data<To>());
    });
  });
}

void accumulate(CudaExec exec, const Tensor& x, const Tensor& y) {
  visit_summands(x.dtype(), y.dtype(), "accumulate", [&]<class T, class Sum>(T, Sum) {
    launch(exec, accumulate_elements<T, Sum>, one_thread_each(y.elements()), y.elements(),
           x.data<T>(), y.data<Sum>());
  });
}

void increment(CudaExec exec, const Tensor& y) {
  launch(exec, increment_elements, one_thread_each(y.elements()), y.elements(),
         y.data<std::int32_t>());
}

void scale(CudaExec exec, const Tensor& y, const Tensor& factor) {
  visit_float(y.dtype(), "scale", [&]<class T>(T) {
    visit_float(factor.dtype(), "scale", [&]<class F>(F) {
      launch(exec, scale_elements<T, F>, one_thread_each(y.elements()), y.elements(),
             factor.data<F>(), y.data<T>());
    });
  });
}

void transpose(CudaExec exec, const Tensor& x, const Tensor& y, std::int64_t batch,
               std::int64_t rows, std::int64_t columns) {
  visit_any(x.dtype(), "transpose", [&]<class T>(T) {
    const dim3 tiles(static_cast<unsigned>(cuda::ceil_div(columns, kTile)),
                     static_cast<unsigned>(cuda::ceil_div(rows, kTile)),
                     static_cast<unsigned>(batch));
    launch(exec, transpose_tiles<T>,
           {tiles, dim3(kTile, kTileRows), sizeof(T) * kTile * (kTile + 1)}, rows, columns,
           x.data<T>(), y.data<T>());
  });
}

void scatter_add(CudaExec exec, const Tensor& dy, const Occurrences& occurrences,
                 const Tensor& table, double factor) {
  visit_float(dy.dtype(), "scatter_add", [&]<class T>(T) {
    const bool in_packs = cuda::whole_packs<T>({table.width()}, {dy.raw(), table.raw()});
    (in_packs ? add_occurrences<T, cuda::kPack<T>, cuda::kPack<Compute<T>>>
              : add_occurrences<T, 1, 1>)(exec, dy, occurrences, table, factor);
  });
}

void adam(CudaExec exec, const AdamArgs& args) { update_all<AdamUpdate>(exec, args); }

void lion(CudaExec exec, const LionArgs& args) { update_all<LionUpdate>(exec, args); }

}  // namespace kette::kernels
