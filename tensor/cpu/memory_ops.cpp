// Kernels that mostly move memory: fill, convert, accumulate, scale, transpose, scatter-add, and
// the steps of optimisers.
#include "tensor/adam_update.h"
#include "tensor/converted.h"
#include "tensor/cpu/column_sums.h"
#include "tensor/cpu/parallel.h"
#include "tensor/cpu/scratch.h"
#include "tensor/kernels.h"
#include "tensor/lion_update.h"

namespace kette::kernels {
namespace {

using cpu::parallel_blocks, cpu::Scratch;
constexpr std::int64_t kGrain = 16384;

template <template <class, bool> class Update, class Args>
void update_all(const Args& args) {
  visit_update<Update>(args, [&](const auto& update) {
    const auto scale = update.gradient_scale();
    parallel_blocks(args.update.parameters.elements(), kGrain, 8,
                    [&](std::int64_t begin, std::int64_t end) {
#pragma omp simd
                      for (std::int64_t i = begin; i < end; ++i) update(i, scale);
                    });
  });
}

}  // namespace

void fill(CpuExec, const Tensor& y, double value) {
  visit_any(y.dtype(), "fill", [&]<class T>(T) {
    const T element = static_cast<T>(converted<Compute<T>>(value));
    T* out = y.data<T>();
    parallel_blocks(y.elements(), kGrain, 1, [&](std::int64_t begin, std::int64_t end) {
      std::fill(out + begin, out + end, element);
    });
  });
}

void cast(CpuExec, const Tensor& x, const Tensor& y) {
  visit_any(x.dtype(), "convert", [&]<class From>(From) {
    visit_any(y.dtype(), "convert", [&]<class To>(To) {
      const From* in = x.data<From>();
      To* out = y.data<To>();
      parallel_blocks(x.elements(), kGrain, 1, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
          out[i] = static_cast<To>(converted<Compute<To>>(static_cast<Compute<From>>(in[i])));
        }
      });
    });
  });
}

void accumulate(CpuExec, const Tensor& x, const Tensor& y) {
  visit_summands(x.dtype(), y.dtype(), "accumulate", [&]<class X, class Y>(X, Y) {
    using C = Compute<Y>;
    const X* in = x.data<X>();
    Y* out = y.data<Y>();
    parallel_blocks(x.elements(), kGrain, 1, [&](std::int64_t begin, std::int64_t end) {
#pragma omp simd
      for (std::int64_t i = begin; i < end; ++i) out[i] = C(out[i]) + C(in[i]);
    });
  });
}

void increment(CpuExec, const Tensor& y) {
  auto* values = y.data<std::int32_t>();
  for (std::int64_t i = 0; i < y.elements(); ++i) ++values[i];
}

void scale(CpuExec, const Tensor& y, const Tensor& factor) {
  const double given = factor.item();
  if (given == 1) return;
  visit_float(y.dtype(), "scale", [&]<class T>(T) {
    T* out = y.data<T>();
    const Compute<T> by = static_cast<Compute<T>>(given);
    parallel_blocks(y.elements(), kGrain, 1, [&](std::int64_t begin, std::int64_t end) {
#pragma omp simd
      for (std::int64_t i = begin; i < end; ++i) out[i] = Compute<T>(out[i]) * by;
    });
  });
}

void transpose(CpuExec, const Tensor& x, const Tensor& y, std::int64_t batch, std::int64_t rows,
               std::int64_t columns) {
  constexpr std::int64_t kTile = 16;
  visit_any(x.dtype(), "transpose", [&]<class T>(T) {
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

void scatter_add(CpuExec, const Tensor& dy, const Occurrences& occurrences, const Tensor& table,
                 double factor) {
  const std::int64_t width = table.width();
  visit_float(dy.dtype(), "scatter_add", [&]<class T>(T) {
    using C = Compute<T>;
    const T* upstream = dy.data<T>();
    const C by = static_cast<C>(factor);
    const auto add_to_table = [&](std::int32_t entry, const C* sums) {
      C* out = table.data<C>() + entry * width;
#pragma omp simd
      for (std::int64_t j = 0; j < width; ++j) out[j] += by * sums[j];
    };
    const auto& pieces = occurrences.pieces();
    const auto& frequent = occurrences.frequent();
    const Scratch<C> partial(occurrences.partial_sums() * width);
    const auto count = static_cast<std::int64_t>(pieces.size());
    parallel_blocks(count, 16, 16 * width, [&](std::int64_t begin, std::int64_t end) {
      const Scratch<C> alone(width);
      for (std::int64_t at = begin; at < end; ++at) {
        const Occurrences::Piece& piece = pieces[at];
        C* sums = piece.partial < 0 ? alone.data() : partial.data() + piece.partial * width;
        std::fill_n(sums, width, C(0));
        for (std::int32_t i = piece.begin; i < piece.end; ++i) {
          const T* in = upstream + occurrences.rows()[i] * width;
#pragma omp simd
          for (std::int64_t j = 0; j < width; ++j) sums[j] += C(in[j]);
        }
        if (piece.partial < 0) add_to_table(piece.entry, sums);
      }
    });
    const auto frequent_count = static_cast<std::int64_t>(frequent.size());
    parallel_blocks(frequent_count, 1, 8 * width, [&](std::int64_t at, std::int64_t) {
      const Occurrences::Frequent& entry = frequent[at];
      C* sums = partial.data() + entry.begin * width;
      cpu::add_blocks(sums, entry.end - entry.begin, width, width);
      add_to_table(entry.entry, sums);
    });
  });
}

void adam(CpuExec, const AdamArgs& args) { update_all<AdamUpdate>(args); }

void lion(CpuExec, const LionArgs& args) { update_all<LionUpdate>(args); }

}  // namespace kette::kernels
