#include "tensor/machine.h"

#include <omp.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <limits>
#include <mutex>
#include <optional>
#include <sstream>
#include <thread>
#include <utility>
#include <vector>

#include "tensor/cpu/blas.h"
#include "tensor/cpu/int8_path.h"
#include "tensor/cpu/product.h"
#include "tensor/cpu/vector.h"
#include "tensor/kernels.h"
#include "tensor/stopwatch.h"

namespace kette {

namespace {

/// Arm's own cores that servers and boards have, by the part numbers in their manuals (MIDR_EL1).
constexpr std::pair<const char*, const char*> kArmParts[] = {
    {"0xd03", "Cortex-A53"},  {"0xd05", "Cortex-A55"},  {"0xd08", "Cortex-A72"},
    {"0xd0b", "Cortex-A76"},  {"0xd0c", "Neoverse N1"}, {"0xd40", "Neoverse V1"},
    {"0xd49", "Neoverse N2"}, {"0xd4f", "Neoverse V2"},
};

}  // namespace

std::string cpu_name_in(std::istream& cpuinfo) {
  std::string implementer;
  for (std::string line; std::getline(cpuinfo, line);) {
    const std::size_t colon = line.find(": ");
    if (colon == std::string::npos) continue;
    const std::string value = line.substr(colon + 2);
    if (line.starts_with("model name")) return value;
    if (line.starts_with("CPU implementer")) implementer = value;
    if (!line.starts_with("CPU part")) continue;
    for (const auto& [part, name] : kArmParts) {
      if (implementer == "0x41" && value == part) return std::string("Arm ") + name;
    }
    return "implementer " + implementer + ", part " + value;
  }
  return "unknown";
}

std::string cpu_name() {
  std::ifstream file("/proc/cpuinfo");
  return cpu_name_in(file);
}

std::string kernel_level() {
#if defined(__AVX512F__)
  return "x86-64-v4 (AVX-512)";
#elif defined(__AVX2__)
  return "x86-64-v3 (AVX2)";
#elif defined(__aarch64__)
  return "aarch64 (NEON)";
#else
  return "portable";
#endif
}

std::string blas_core() { return cpu::blas_core(); }

std::string bf16_kernels() {
  if (cpu::bf16_products() == cpu::Bf16Products::widened) return "f32";
  if (cpu::bf16_products() == cpu::Bf16Products::in_squares) return "squares (AMX)";
#if defined(__AVX512F__)
  return "pairs (AVX512-BF16)";
#else
  return "pairs";
#endif
}

bool Device::trains_in_bf16() const {
  if (kind != DeviceKind::cpu) return true;
  const char* asked = std::getenv("KETTE_BF16");
  return cpu::bf16_products() != cpu::Bf16Products::widened || (asked != nullptr && *asked != '\0');
}

std::string int8_kernels() { return enum_name(cpu::int8_path()); }

std::uint64_t memory_limit_in(const std::filesystem::path& root) {
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  const auto take = [&](const std::filesystem::path& mounted, const std::filesystem::path& group,
                        const char* name) {
    std::filesystem::path folder = root / mounted;
    const auto look = [&] {
      std::ifstream file(folder / name);
      std::uint64_t bytes = 0;
      if (file >> bytes) least = std::min(least, bytes);  // "max" is no number
    };
    look();
    for (const std::filesystem::path& part : group.relative_path()) {
      folder /= part;
      look();
    }
  };
  std::ifstream groups(root / "proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {  // "0::/user.slice", "4:cpu,memory:/job"
    std::istringstream fields(line);
    std::string number, controllers, group;
    std::getline(fields, number, ':');
    std::getline(fields, controllers, ':');
    std::getline(fields, group);
    if (controllers.empty()) take("sys/fs/cgroup", group, "memory.max");
    controllers = ',' + controllers + ',';
    if (controllers.find(",memory,") == std::string::npos) continue;
    take("sys/fs/cgroup/memory", group, "memory.limit_in_bytes");
  }
  return least;
}

std::uint64_t usable_memory() {
  static const std::uint64_t bytes = std::min(static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
                                                  static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)),
                                              memory_limit_in("/"));
  return bytes;
}

double processor_seconds_in(std::istream& stat, double ticks, const std::vector<int>& processors) {
  double all = 0, chosen = 0;
  std::int64_t are_chosen = 0, are_left = 0;
  for (std::string line; std::getline(stat, line) && line.starts_with("cpu");) {
    std::istringstream fields(line.substr(3));
    int number = -1;  // the first line is the sum of all
    if (line[3] != ' ') fields >> number;
    double user = 0, nice = 0, system = 0, idle = 0, waiting = 0, interrupts = 0,
           soft_interrupts = 0;
    if (!(fields >> user >> nice >> system >> idle >> waiting >> interrupts >> soft_interrupts)) {
      continue;
    }
    const double busy = user + nice + system + interrupts + soft_interrupts;
    if (number < 0) {
      all = busy;
    } else if (std::find(processors.begin(), processors.end(), number) != processors.end()) {
      chosen += busy;
      ++are_chosen;
    } else {
      ++are_left;
    }
  }
  return (are_chosen > 0 && are_left > 0 ? chosen : all) / ticks;
}

namespace {

/// The numbers of the processors that this thread may use; none: all of the machine.
std::vector<int> own_processors() {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  std::vector<int> numbers;
  if (sched_getaffinity(0, sizeof mask, &mask) != 0) return numbers;
  for (int number = 0; number < CPU_SETSIZE; ++number) {
    if (CPU_ISSET(number, &mask)) numbers.push_back(number);
  }
  // If OpenMP binds threads to processors (OMP_PROC_BIND), the mask is of this thread alone.
  if (std::ssize(numbers) != omp_get_num_procs()) numbers.clear();
  return numbers;
}

}  // namespace

ProcessorTime ProcessorTime::now() {
  const auto seconds_of = [](clockid_t which) {
    timespec time{};
    clock_gettime(which, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  std::ifstream stat("/proc/stat");
  return {processor_seconds_in(stat, static_cast<double>(sysconf(_SC_CLK_TCK)), own_processors()),
          seconds_of(CLOCK_PROCESS_CPUTIME_ID), seconds_of(CLOCK_MONOTONIC)};
}

bool others_compute(const ProcessorTime& before, const ProcessorTime& after, int threads,
                    int processors) {
  constexpr double kEnough = 0.5;  // of a processor
  const double others = (after.all - before.all) - (after.own - before.own);
  const double spare = std::max(0, processors - threads);
  return others > (spare + kEnough) * (after.clock - before.clock);
}

namespace {

/// While it lives, OpenMP threads yield sooner: libgomp spins for long only while there are no more
/// threads than processors, so one more thread, asleep, is enough. A team's threads live as long as
/// the thread that made it.
class SleepingTeam {
 public:
  SleepingTeam()
      : maker_([this] {
#pragma omp parallel num_threads(2)
          { std::atomic_signal_fence(std::memory_order_seq_cst); }
          done_.wait(false);
        }) {
  }
  ~SleepingTeam() {
    done_ = true;
    done_.notify_one();
    maker_.join();
  }
  SleepingTeam(const SleepingTeam&) = delete;
  SleepingTeam& operator=(const SleepingTeam&) = delete;

 private:
  std::atomic<bool> done_ = false;
  std::thread maker_;
};

}  // namespace

void share_processors(int threads) {
#if defined(__clang__)
  // LLVM's OpenMP behaves differently and aborts if a thread with a team outlives main().
  static_cast<void>(threads);
#else
  static std::atomic<int> wanted;
  wanted = threads;
  static std::once_flag once;
  std::call_once(once, [] {
    std::thread([] {
      std::optional<SleepingTeam> team;
      for (ProcessorTime before = ProcessorTime::now();;) {
        std::this_thread::sleep_for(std::chrono::seconds(1));
        const ProcessorTime after = ProcessorTime::now();
        const bool shared = others_compute(before, after, wanted, omp_get_num_procs());
        if (shared && !team) team.emplace();
        if (!shared) team.reset();
        before = after;
      }
    }).detach();
  });
#endif
}

void multiply_by_blas(const MatmulArgs& args, int threads) {
  cpu::prepare_blas();
  const std::int64_t rows = (args.m + threads - 1) / threads;
#pragma omp parallel for num_threads(threads) schedule(static)
  for (std::int64_t begin = 0; begin < args.m; begin += rows) {
    cpu::gemm({args.transpose_a, args.transpose_b, std::min(rows, args.m - begin), args.n, args.k,
               args.lda, args.ldb, args.ldc},
              1.0f, static_cast<const float*>(args.a) + begin * (args.transpose_a ? 1 : args.lda),
              static_cast<const float*>(args.b), 0.0f,
              static_cast<float*>(args.c) + begin * args.ldc);
  }
}

double measure_sgemm_gflops(int threads, std::int64_t size) {
  const auto elements = static_cast<std::size_t>(size * size);
  std::vector<float> a(elements, 0.5f), b(elements, 0.25f), c(elements);
  MatmulArgs args;
  args.a = a.data();
  args.b = b.data();
  args.c = c.data();
  args.m = args.n = args.k = args.lda = args.ldb = args.ldc = size;
  double best = 0;
  for (int repetition = 0; repetition < 5; ++repetition) {
    const Stopwatch watch;
    multiply_by_blas(args, threads);
    const double operations = 2.0 * static_cast<double>(size) * static_cast<double>(elements);
    best = std::max(best, operations / watch.seconds() * 1e-9);
  }
  return best;
}

double seconds_to_read(const Tensor& values) {
  using S = cpu::Simd<float>;
  constexpr std::int64_t kSums = 8, kStep = kSums * S::kLanes;
  const float* data = values.data<float>();
  const std::int64_t steps = values.elements() / kStep;
  double total = 0;
  const Stopwatch watch;
#pragma omp parallel reduction(+ : total)
  {
    // Several sums, so that no addition waits for the previous one.
    S::Vector sums[kSums] = {};
    const std::int64_t threads = omp_get_num_threads(), thread = omp_get_thread_num();
    for (std::int64_t i = steps * thread / threads; i < steps * (thread + 1) / threads; ++i) {
      for (std::int64_t j = 0; j < kSums; ++j) sums[j] += S::load(data + i * kStep + j * S::kLanes);
    }
    for (const S::Vector& sum : sums) total += static_cast<double>(S::sum_lanes(sum));
  }
  const double seconds = watch.seconds();
  volatile double kept = total;  // so that the loop is not optimised away
  static_cast<void>(kept);
  return seconds;
}

}  // namespace kette
