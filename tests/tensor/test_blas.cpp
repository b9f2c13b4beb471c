#include <doctest/doctest.h>
#include <omp.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "tensor/cpu/blas.h"
#include "tensor/machine.h"
#include "tests/support.h"

using namespace kette;

TEST_CASE("seconds of processors are those of all programs, without waiting") {
  const auto seconds = [](const char* stat) {
    std::istringstream text(stat);
    return processor_seconds_in(text, 100, {});
  };
  CHECK(seconds("cpu  100 20 30 4000 500 6 7 80 0 0\ncpu0 50 10 15\n") == doctest::Approx(1.63));
  CHECK(seconds("cpu 100\n") == 0);
  CHECK(seconds("") == 0);
}

TEST_CASE("seconds of processors are those of the ones that this program may use") {
  const auto seconds = [](const std::vector<int>& processors) {
    std::istringstream text(
        "cpu  1005 0 0 0 0 0 0 0 0 0\ncpu0 100 0 0 0 0 0 0 0 0 0\ncpu1 200 0 0 0 0 0 0 0 0 0\n"
        "cpu12 700 0 0 0 0 0 0 0 0 0\nintr 5 1 2\ncpu2 9 9 9 9 9 9 9\n");
    return processor_seconds_in(text, 100, processors);
  };
  CHECK(seconds({0, 1}) == doctest::Approx(3));
  CHECK(seconds({12}) == doctest::Approx(7));
  CHECK(seconds({0, 1, 12}) == doctest::Approx(10.05));  // all: their sum is not rounded
  CHECK(seconds({2}) == doctest::Approx(10.05));         // the system says nothing of it
}

TEST_CASE("a process may use as much memory as its control groups, and those above, allow") {
  const testing::ScratchFolder root;
  const auto limit = [&] { return memory_limit_in(root.path()); };
  const auto write = [&](const std::filesystem::path& path, const std::string& text) {
    std::filesystem::create_directories((root.path() / path).parent_path());
    testing::write_file(root.path() / path, text);
  };
  constexpr std::uint64_t kNone = std::numeric_limits<std::uint64_t>::max();
  CHECK(limit() == kNone);
  write("proc/self/cgroup", "0::/jobs/seven\n");
  CHECK(limit() == kNone);
  write("sys/fs/cgroup/jobs/seven/memory.max", "max\n");
  CHECK(limit() == kNone);
  write("sys/fs/cgroup/jobs/memory.max", "3000\n");
  CHECK(limit() == 3000);
  write("sys/fs/cgroup/jobs/seven/memory.max", "2000\n");
  CHECK(limit() == 2000);
  write("proc/self/cgroup", "0::/\n");  // a container, to which its group is the root
  write("sys/fs/cgroup/memory.max", "1000\n");
  CHECK(limit() == 1000);
  write("proc/self/cgroup", "5:cpu,memory:/jobs/seven\n4:freezer:/jobs\n");  // version 1
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  write("sys/fs/cgroup/memory/jobs/seven/memory.limit_in_bytes", "4000\n");
  CHECK(limit() == 4000);
  CHECK(usable_memory() > 0);
}

TEST_CASE("other programs compute where they leave too little for this one's threads") {
  const auto beside = [](double others, int threads) {
    const ProcessorTime before{100, 50, 7}, after{100 + 4 + others, 54, 9};  // two seconds
    return others_compute(before, after, threads, 4);
  };
  CHECK(beside(2, 4));  // a whole processor
  CHECK_FALSE(beside(0.5, 4));
  CHECK_FALSE(beside(-0.1, 4));  // the clocks tick apart
  CHECK_FALSE(beside(2, 3));     // there is one to spare
  CHECK(beside(4, 3));
  CHECK_FALSE(others_compute({}, {}, 4, 4));  // nothing is known
}

TEST_CASE("what this program computes is not others' work") {
  if (ProcessorTime::now().all == 0) {
    MESSAGE("skipped: no /proc/stat");
    return;
  }
  // Threads of what was computed before this may still be waiting for more: those of LLVM's OpenMP for 0.2 seconds.
  std::this_thread::sleep_for(std::chrono::milliseconds(250));
  const ProcessorTime before = ProcessorTime::now();
  ProcessorTime after = before;
  while (after.clock < before.clock + 0.2) after = ProcessorTime::now();
  CHECK(after.own - before.own <= 1.1 * (after.clock - before.clock));
  CHECK(after.own > before.own);
  CHECK(after.all > before.all);
}

TEST_CASE("a program that shares its processors computes as before") {
  const auto sum = [] {
    std::int64_t total = 0;
#pragma omp parallel for num_threads(3) reduction(+ : total)
    for (std::int64_t i = 0; i < 1000; ++i) total += i;
    return total;
  };
  share_processors(2);
  share_processors(3);
  CHECK(sum() == 499500);
}

TEST_CASE("OpenBLAS has a core, and choosing it leaves the number of OpenMP threads alone") {
  const int threads = omp_get_max_threads();
  CHECK_FALSE(cpu::blas_core().empty());
  CHECK(omp_get_max_threads() == threads);
}

#ifdef __x86_64__
TEST_CASE("on a CPU with AVX-512 a library that knows AVX-512 cores uses one") {
  if (!__builtin_cpu_supports("avx512dq") || std::getenv("KETTE_BLAS_CORE") != nullptr) {
    MESSAGE("skipped: no AVX-512, or a core was asked for");
    return;
  }
  const std::string core = cpu::blas_core();
  CHECK((core == "SkylakeX" || core == "Cooperlake" || core == "SapphireRapids"));
}
#endif

TEST_CASE("a processor has the name that the system gives it, or that of its numbers") {
  const auto name_in = [](const char* text) {
    std::istringstream lines(text);
    return cpu_name_in(lines);
  };
  CHECK(name_in("processor\t: 0\nmodel name\t: AMD EPYC 9B14\nflags\t\t: fpu\n") ==
        "AMD EPYC 9B14");
  CHECK(name_in("CPU implementer\t: 0x41\nCPU variant\t: 0x3\nCPU part\t: 0xd0c\n") ==
        "Arm Neoverse N1");
  CHECK(name_in("CPU implementer\t: 0x61\nCPU part\t: 0x022\n") == "implementer 0x61, part 0x022");
  CHECK(name_in("processor\t: 0\n") == "unknown");
  CHECK_FALSE(cpu_name().empty());
}

TEST_CASE("the kernels in use are those that the processor is for") {
#ifdef __aarch64__
  CHECK(kernel_level() == "aarch64 (NEON)");
  CHECK((int8_kernels().starts_with("neon") || std::getenv("KETTE_INT8") != nullptr));
#else
  CHECK((kernel_level() == "portable" || kernel_level().starts_with("x86-64-v")));
#endif
}

TEST_CASE("the sgemm limit is measured as a plausible rate") {
  const double gflops = measure_sgemm_gflops(1, 128);
  CHECK(gflops > 0.05);
  CHECK(gflops < 20000);
}
