// Row bodies on the CPU: threads take whole rows, vector lanes the elements. Column sums take two
// stages over fixed blocks of rows, so that the order of additions never depends on the threads.
#include "tensor/cpu/column_sums.h"
#include "tensor/cpu/dropout_mask.h"
#include "tensor/cpu/parallel.h"
#include "tensor/emit.h"

namespace kette::kernels {
namespace {

using cpu::parallel_blocks;

/// The group a row body runs on: here a single thread.
struct CpuGroup {
  template <class C, class Function>
  C max(std::int64_t count, const Function& value) const {
    C result = -std::numeric_limits<C>::infinity();
#pragma omp simd reduction(max : result)
    for (std::int64_t j = 0; j < count; ++j) {
      const C candidate = value(j);
      result = candidate > result ? candidate : result;
    }
    return result;
  }
  template <class C, class Function>
  C sum(std::int64_t count, const Function& value) const {
    C result = 0;
#pragma omp simd reduction(+ : result)
    for (std::int64_t j = 0; j < count; ++j) result += value(j);
    return result;
  }
  void each(std::int64_t count, const auto& function) const {
#pragma omp simd
    for (std::int64_t j = 0; j < count; ++j) function(j);
  }
  void once(const auto& function) const { function(); }
  // Rows are accessed in place.
  auto read(const auto* row, std::int64_t) const { return row; }
  auto write(auto* row, std::int64_t) const { return row; }
  auto update(auto* row, std::int64_t) const { return row; }
  void store(const auto*, auto*, std::int64_t) const {}
  /// The dropout factors of a row; one row at a time per thread.
  auto mask(const DropoutMask& mask, std::int64_t row, std::int64_t width) const {
    thread_local std::vector<float> factors;
    const std::size_t padded = static_cast<std::size_t>(DropoutMask::groups(width)) * 128;
    if (factors.size() < padded) factors.resize(padded);
    fill_mask(mask, row, width, factors.data());
    return [keep = factors.data()](std::int64_t j) { return keep[j]; };
  }
};

/// The sums of a block of rows.
template <class C>
struct CpuSums {
  C* data;
  std::int64_t width;
  C* operator[](int k) const { return data + k * width; }
};

constexpr std::int64_t kRowsPerBlock = 16;
constexpr std::int64_t kRowsPerSum = 64;

}  // namespace

template <class Body>
void for_rows(CpuExec, const Body& body, std::int64_t rows) {
  parallel_blocks(rows, kRowsPerBlock, body.width * 4, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) body(CpuGroup{}, row);
  });
}

template <class Body>
void for_rows_with_sums(CpuExec, const Body& body, std::int64_t rows, const Tensor* const* sums) {
  using C = Compute<typename Body::Element>;
  const std::int64_t width = body.width;
  if (rows == 0) return;
  cpu::sum_rows<C>(
      1, rows, kRowsPerSum, Body::kSums * width, width * 8,
      [&](std::int64_t, std::int64_t begin, std::int64_t end, C* of_block) {
        const CpuSums<C> block{of_block, width};
        for (std::int64_t row = begin; row < end; ++row) body(CpuGroup{}, row, block);
      },
      [&](std::int64_t, const C* total) {
        for (int k = 0; k < Body::kSums; ++k) cpu::add_to(*sums[k], total + k * width);
      });
}

namespace {

[[gnu::used]] auto f32_kernels = emit_all_rows<CpuExec, float>();
[[gnu::used]] auto f64_kernels = emit_all_rows<CpuExec, double>();
[[gnu::used]] auto bf16_kernels = emit_all_rows<CpuExec, BFloat16>();

}  // namespace
}  // namespace kette::kernels
