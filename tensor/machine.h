// What Kette runs on, and how quick that is: the CPU, which of the kernel libraries the system's loader
// took, and the limits that measurements are held against.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>

namespace kette {

class Tensor;
struct MatmulArgs;

/// "AMD EPYC 9B14", "Arm Neoverse N1", or "unknown".
std::string cpu_name();
/// The same of a text as /proc/cpuinfo has it; processors for aarch64 have no name there, but numbers.
std::string cpu_name_in(std::istream& cpuinfo);
/// "x86-64-v4 (AVX-512)", "x86-64-v3 (AVX2)", "aarch64 (NEON)" or "portable": the level of the loaded kernel library.
std::string kernel_level();
/// The kernels that OpenBLAS uses, as it spells them: "SkylakeX", "Haswell" ...
std::string blas_core();
/// The path of products of int8: "avx512-vnni", "neon-dotprod" ... or "portable" (cpu/int8_path.h).
std::string int8_kernels();

/// How products of bf16 are made: in "squares (AMX)", "pairs (AVX512-BF16)", "pairs" by instructions for f32, or "f32", of
/// widened ones.
std::string bf16_kernels();

/// Seconds of processors that had been used at a moment, of which only differences tell something.
struct ProcessorTime {
  double all = 0;    ///< by all programs of the machine
  double own = 0;    ///< by this one
  double clock = 0;  ///< the moment, in seconds

  static ProcessorTime now();
};
/// The first of it, of a text as Linux has it in /proc/stat; `ticks` are a second. 0 of another text.
double processor_seconds_in(std::istream& stat, double ticks);
/// Whether other programs have wanted, from one moment to another, what `threads` of this one would leave none of.
bool others_compute(const ProcessorTime& before, const ProcessorTime& after, int threads,
                    int processors);
/// Looks from now on, every second, whether other programs want the processors that `threads` of this one compute
/// on. While they do, threads that wait for others spin for a moment only before they sleep: a little slower where
/// each has a processor to itself, and much quicker where it has not. Of GCC's OpenMP; another has its own ways.
void share_processors(int threads);

/// C = op(A) op(B), f32 and no more, by OpenBLAS: a block of rows for each thread.
void multiply_by_blas(const MatmulArgs& args, int threads);
/// The machine's limit for f32 products: the best of a few [size, size] x [size, size] ones, each
/// thread multiplying its own block of rows.
double measure_sgemm_gflops(int threads, std::int64_t size = 2048);
/// How long all threads together take to read an f32 tensor on the CPU once, each its own share: the
/// limit of everything that touches each weight once.
double seconds_to_read(const Tensor& values);

}  // namespace kette
