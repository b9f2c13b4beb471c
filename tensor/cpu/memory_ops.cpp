// Kernels that mostly move memory: fill, convert, accumulate, scale, transpose, scatter-add, and
// Adam.
#include "tensor/adam_update.h"
#include "tensor/cpu/parallel.h"
#include "tensor/kernels.h"

namespace kette::kernels {
namespace {

using cpu::parallel_blocks;
constexpr std::int64_t kGrain = 16384;

}  // namespace

void fill(CpuExec, const Tensor& y, double value) {
  visit_any(y.dtype(), [&]<class T>(T) {
    const T element = static_cast<T>(static_cast<Compute<T>>(value));
    T* out = y.data<T>();
    parallel_blocks(y.elements(), kGrain, 1, [&](std::int64_t begin, std::int64_t end) {
      std::fill(out + begin, out + end, element);
    });
  });
}

void cast(CpuExec, const Tensor& x, const Tensor& y) {
  visit_any(x.dtype(), [&]<class From>(From) {
    visit_any(y.dtype(), [&]<class To>(To) {
      const From* in = x.data<From>();
      To* out = y.data<To>();
      parallel_blocks(x.elements(), kGrain, 1, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
          out[i] = static_cast<To>(static_cast<Compute<To>>(static_cast<Compute<From>>(in[i])));
        }
      });
    });
  });
}

void accumulate(CpuExec, const Tensor& x, const Tensor& y) {
  visit_float(y.dtype(), "accumulate", [&]<class T>(T) {
    const T* in = x.data<T>();
    T* out = y.data<T>();
    parallel_blocks(x.elements(), kGrain, 1, [&](std::int64_t begin, std::int64_t end) {
#pragma omp simd
      for (std::int64_t i = begin; i < end; ++i) out[i] = T(Compute<T>(out[i]) + Compute<T>(in[i]));
    });
  });
}

void scale(CpuExec, const Tensor& y, const Tensor& factor) {
  const double given = factor.item();
  if (given == 1) return;
  visit_float(y.dtype(), "scale", [&]<class T>(T) {
    T* out = y.data<T>();
    const Compute<T> by = static_cast<Compute<T>>(given);
    parallel_blocks(y.elements(), kGrain, 1, [&](std::int64_t begin, std::int64_t end) {
#pragma omp simd
      for (std::int64_t i = begin; i < end; ++i) out[i] = T(Compute<T>(out[i]) * by);
    });
  });
}

void transpose(CpuExec, const Tensor& x, const Tensor& y, std::int64_t batch, std::int64_t rows,
               std::int64_t columns) {
  constexpr std::int64_t kTile = 16;
  visit_any(x.dtype(), [&]<class T>(T) {
    const std::int64_t bands = cpu::ceil_div(rows, kTile);
    parallel_blocks(batch * bands, 1, kTile * columns, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t index = begin; index < end; ++index) {
        const std::int64_t matrix = index / bands * rows * columns, top = index % bands * kTile;
        const T* in = x.data<T>() + matrix;
        T* out = y.data<T>() + matrix;
        for (std::int64_t left = 0; left < columns; left += kTile) {
          for (std::int64_t r = top; r < std::min(rows, top + kTile); ++r) {
            for (std::int64_t c = left; c < std::min(columns, left + kTile); ++c) {
              out[c * rows + r] = in[r * columns + c];
            }
          }
        }
      }
    });
  });
}

void scatter_add(CpuExec, const Tensor& dy, const Tensor& ids, const Tensor& table, double factor) {
  const std::int64_t rows = ids.elements(), width = table.width(), entries = table.rows();
  const std::int32_t* id = ids.data<std::int32_t>();
  // A block owns a range of table entries and reads all rows in order: no atomics, one order of
  // additions.
  const std::int64_t grain = std::max<std::int64_t>(1, (entries + 15) / 16);
  visit_float(dy.dtype(), "embedding", [&]<class T>(T) {
    using C = Compute<T>;
    const T* upstream = dy.data<T>();
    T* gradient = table.data<T>();
    const C by = static_cast<C>(factor);
    parallel_blocks(entries, grain, rows * width / std::max<std::int64_t>(1, entries) + 1,
                    [&](std::int64_t begin, std::int64_t end) {
                      for (std::int64_t row = 0; row < rows; ++row) {
                        if (id[row] < begin || id[row] >= end) continue;
                        const T* in = upstream + row * width;
                        T* out = gradient + id[row] * width;
#pragma omp simd
                        for (std::int64_t j = 0; j < width; ++j)
                          out[j] = T(C(out[j]) + by * C(in[j]));
                      }
                    });
  });
}

void adam(CpuExec, const AdamArgs& args) {
  visit_adam(args, [&](const auto& update) {
    parallel_blocks(args.parameters.elements(), kGrain, 8,
                    [&](std::int64_t begin, std::int64_t end) {
#pragma omp simd
                      for (std::int64_t i = begin; i < end; ++i) update(i);
                    });
  });
}

}  // namespace kette::kernels
