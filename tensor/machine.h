// The machine that Kette runs on: the CPU, the kernel library that the system's loader took, and
// the speed limits that measurements are compared with.
#pragma once

#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

namespace kette {

class Tensor;
struct MatmulArgs;

/// "AMD EPYC 9B14", "Arm Neoverse N1", or "unknown".
std::string cpu_name();
/// The same, from a text in the format of /proc/cpuinfo. There aarch64 processors have numbers, not
/// names.
std::string cpu_name_in(std::istream& cpuinfo);
/// "x86-64-v4 (AVX-512)", "x86-64-v3 (AVX2)", "aarch64 (NEON)" or "portable": the level of the
/// loaded kernel library.
std::string kernel_level();
/// The kernels that OpenBLAS uses, as it spells them: "SkylakeX", "Haswell" ...
std::string blas_core();
/// The instructions used for int8 products: "avx512-vnni", "neon-dotprod" ... or "portable"
/// (cpu/int8_path.h).
std::string int8_kernels();

/// How bf16 products are computed: "squares (AMX)", "pairs (AVX512-BF16)", "pairs" (with f32
/// instructions) or "f32" (operands widened).
std::string bf16_kernels();

/// Bytes of memory that this process may use: all that the machine has, or less in a container.
std::uint64_t usable_memory();
/// The least limit on memory that a control group of this process sets, or one that it is part of, in
/// the system at `root`: /proc/self/cgroup and /sys/fs/cgroup there, of version 1 or 2. The largest
/// number if there is none.
std::uint64_t memory_limit_in(const std::filesystem::path& root);

/// Processor seconds used up to a moment; only differences between two moments mean something.
struct ProcessorTime {
  double all = 0;    ///< by all programs, of the processors that this one may use
  double own = 0;    ///< by this one
  double clock = 0;  ///< the moment, in seconds

  static ProcessorTime now();
};
/// ProcessorTime::all, from a text in the format of Linux's /proc/stat, with `ticks` a second.
/// Otherwise 0. processors: their numbers; none: all there are.
double processor_seconds_in(std::istream& stat, double ticks, const std::vector<int>& processors);
/// Whether other programs used, between two moments, over half a processor more than `threads` of
/// this one leave free.
bool others_compute(const ProcessorTime& before, const ProcessorTime& after, int threads,
                    int processors);
/// From now on checks every second whether other programs compete for the processors that `threads`
/// of this program use. While they do, waiting threads spin only briefly before they sleep: a
/// little slower if each thread has its own processor, much faster if not. Only with GCC's OpenMP.
void share_processors(int threads);

/// C = op(A) op(B) in f32 by OpenBLAS, one block of rows per thread; every other argument is
/// ignored.
void multiply_by_blas(const MatmulArgs& args, int threads);
/// The machine's limit for f32 products: the best of a few products [size, size] x [size, size],
/// with a block of rows per thread.
double measure_sgemm_gflops(int threads, std::int64_t size = 2048);
/// Seconds that all threads together take to read an f32 tensor on the CPU once, each its own part:
/// the limit for any work that reads each weight once.
double seconds_to_read(const Tensor& values);

}  // namespace kette
