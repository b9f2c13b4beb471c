#include <ucontext.h>

#include <algorithm>
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <vector>

#include "chance.h"
#include "fibers.h"

#if defined(__SANITIZE_ADDRESS__)  // as g++ says it
#define KETTE_ADDRESS_SANITIZER
#elif defined(__has_feature)  // as clang does
#if __has_feature(address_sanitizer)
#define KETTE_ADDRESS_SANITIZER
#endif
#endif
#ifdef KETTE_ADDRESS_SANITIZER
#include <sanitizer/common_interface_defs.h>
#endif

uint3 threadIdx, blockIdx;
dim3 blockDim, gridDim;

namespace emulator {
namespace {

constexpr std::size_t kStack = 256 << 10;
constexpr unsigned kWarp = 32;

/// Threads that wait for one another: a block, or a warp of it.
struct Group {
  unsigned live = 0, arrived = 0;
  unsigned long generation = 0;

  void release_if_complete() {
    if (live == 0 || arrived < live) return;
    arrived = 0;
    ++generation;
  }
};

#ifdef KETTE_ADDRESS_SANITIZER
/// The address sanitizer wants to know which stack it is on.
struct StackNote {
  void* fake = nullptr;
  void leave(const void* bottom, std::size_t size) {
    __sanitizer_start_switch_fiber(&fake, bottom, size);
  }
  void enter(const void** bottom = nullptr, std::size_t* size = nullptr) {
    __sanitizer_finish_switch_fiber(fake, bottom, size);
  }
};
#else
struct StackNote {
  void leave(const void*, std::size_t) {}
  void enter(const void** = nullptr, std::size_t* = nullptr) {}
};
#endif

/// A place to go on from. The first time takes ucontext, which saves the signal mask with a system
/// call; later ones jump, except under the address sanitizer, which follows no jumps.
struct Context {
  ucontext_t first;
  std::jmp_buf later;
  bool started = false;
};

void go(Context& from, Context& to) {
#ifdef KETTE_ADDRESS_SANITIZER
  swapcontext(&from.first, &to.first);
#else
  if (_setjmp(from.later) != 0) return;
  if (to.started) _longjmp(to.later, 1);
  to.started = true;
  setcontext(&to.first);
#endif
}

/// A copy under way within a kernel, from nowhere if it is of zeros.
struct Copy {
  void* to;
  const void* from;
  std::size_t bytes;

  void perform() const {
    if (from) {
      std::memcpy(to, from, bytes);
    } else {
      std::memset(to, 0, bytes);
    }
  }
};

struct Fiber {
  Context context;
  StackNote note;
  std::unique_ptr<char[]> stack{new char[kStack]};
  uint3 index;
  unsigned number = 0;
  const Group* waits_for = nullptr;
  unsigned long generation = 0;
  bool done = false, has_awaited = false;
  std::vector<Copy> copies;
  std::uint64_t accesses = 0;

  void begin(uint3 at, unsigned its_number) {
    index = at;
    number = its_number;
    done = has_awaited = false;
    waits_for = nullptr;
    copies.clear();
    accesses = 0;
  }
  bool can_go_on() const {
    return !done && (waits_for == nullptr || waits_for->generation != generation);
  }
};

struct Warp {
  Group group;
  std::uint64_t slots[kWarp] = {};
};

struct Scheduler {
  Context context;
  StackNote note;
  const void* bottom = nullptr;  // of its stack
  std::size_t size = 0;
};

Scheduler scheduler;
std::vector<std::unique_ptr<Fiber>> fibers;
std::vector<Warp> warps;
Group block;
Fiber* current = nullptr;
const std::function<void()>* body = nullptr;
std::vector<unsigned char> shared;
bool counts_accesses = false;
std::uint64_t most_accesses = 0;

[[noreturn]] void give_up(const char* why) {
  std::fprintf(stderr, "cuda emulator: block (%u, %u, %u), seed %llu: %s\n", blockIdx.x, blockIdx.y,
               blockIdx.z, chance().seed(), why);
  std::abort();
}

Warp& warp_of(const Fiber& fiber) { return warps[fiber.number / kWarp]; }

void leave(Group& group) {
  --group.live;
  group.release_if_complete();
}

void resume(Fiber& fiber) {
  current = &fiber;
  threadIdx = fiber.index;
  scheduler.note.leave(fiber.stack.get(), kStack);
  scheduler.context.started = true;
  go(scheduler.context, fiber.context);
  scheduler.note.enter();
  current = nullptr;
}

void give_way() {
  Fiber& fiber = *current;
  fiber.note.leave(scheduler.bottom, scheduler.size);
  go(fiber.context, scheduler.context);
  fiber.note.enter();
}

/// What a fiber does: one thread after the other, of this block and of later ones.
void run_threads() {
  current->note.enter(&scheduler.bottom, &scheduler.size);
  for (;;) {
    (*body)();
    current->done = true;
    most_accesses = std::max(most_accesses, current->accesses);
    warp_of(*current).slots[lane()] = 0;  // no vote
    leave(warp_of(*current).group);
    leave(block);
    give_way();
  }
}

std::unique_ptr<Fiber> make_fiber() {
  auto fiber = std::make_unique<Fiber>();
  ucontext_t& context = fiber->context.first;
  getcontext(&context);
  context.uc_stack.ss_sp = fiber->stack.get();
  context.uc_stack.ss_size = kStack;
  context.uc_link = nullptr;
  makecontext(&context, run_threads, 0);
  // The address sanitizer would forget what it knows of so much of the stack at each switch, which takes long.
  context.uc_stack.ss_size = 0;
  return fiber;
}

void wait(Group& group) {
  if (current == nullptr) give_up("a barrier outside of a kernel");
  current->waits_for = &group;
  current->generation = group.generation;
  ++group.arrived;
  group.release_if_complete();
  if (group.generation == current->generation) give_way();
  current->waits_for = nullptr;
}

/// Runs a warp of a block of `count` threads until all its threads wait for other warps or are
/// done. Returns how often one went on.
unsigned run_warp(unsigned warp, unsigned count) {
  unsigned moves = 0;
  for (unsigned moves_before = ~0u; moves != moves_before;) {
    moves_before = moves;
    const auto first = static_cast<unsigned>(chance().below(kWarp));
    const auto step = static_cast<unsigned>(chance().below(kWarp / 2)) * 2 + 1;
    for (unsigned i = 0; i < kWarp; ++i) {
      const unsigned number = warp * kWarp + (first + i * step) % kWarp;
      if (number >= count || !fibers[number]->can_go_on()) continue;
      resume(*fibers[number]);
      ++moves;
    }
  }
  return moves;
}

void run_block(dim3 threads) {
  const unsigned count = threads.x * threads.y * threads.z;
  while (fibers.size() < count) fibers.push_back(make_fiber());
  warps.assign((count + kWarp - 1) / kWarp, {});
  block = {};
  block.live = count;
  for (unsigned number = 0; number < count; ++number) {
    fibers[number]->begin(
        {number % threads.x, number / threads.x % threads.y, number / threads.x / threads.y},
        number);
    ++warps[number / kWarp].group.live;
  }
  // Between two barriers of the block one warp after the other goes as far as it can, in an order
  // drawn anew each time: of two accesses without a barrier between them, either may come first.
  std::vector<unsigned> order(warps.size());
  std::iota(order.begin(), order.end(), 0u);
  while (block.live > 0) {
    chance().shuffle(order);
    unsigned moves = 0;
    for (const unsigned warp : order) moves += run_warp(warp, count);
    if (moves == 0) give_up("threads wait for others that wait elsewhere");
  }
}

}  // namespace

std::uint64_t run(dim3 blocks, dim3 threads, std::size_t shared_bytes,
                  const std::function<void()>& kernel) {
  body = &kernel;
  gridDim = blocks;
  blockDim = threads;
  most_accesses = 0;
  if (threads.x * threads.y * threads.z > 1024) give_up("more than 1024 threads");
  if (shared_bytes > (227u << 10)) give_up("more than 227 KiB of shared memory");
  const std::uint64_t count = std::uint64_t{blocks.x} * blocks.y * blocks.z;
  const std::uint64_t first = chance().below(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t number = (first + i) % count;
    blockIdx = {static_cast<unsigned>(number % blocks.x),
                static_cast<unsigned>(number / blocks.x % blocks.y),
                static_cast<unsigned>(number / blocks.x / blocks.y)};
    shared.assign(shared_bytes, 0xff);  // NaN: nobody may count on zeros
    run_block(threads);
  }
  return most_accesses;
}

void count_accesses(bool on) { counts_accesses = on; }
void note_access(const void* at) {
  if (counts_accesses && current && is_device_memory(at)) ++current->accesses;
}

void* shared_memory() { return shared.data(); }
void await_earlier_kernels() { current->has_awaited = true; }
void check_has_awaited() {
  if (!current->has_awaited) give_up("a kernel that starts early does not wait for earlier ones");
}
void block_barrier() { wait(block); }
void warp_barrier() { wait(warp_of(*current).group); }
unsigned lane() { return current->number % kWarp; }

std::uint64_t exchange(std::uint64_t bits, unsigned from) {
  Warp& warp = warp_of(*current);
  warp.slots[lane()] = bits;
  warp_barrier();
  const std::uint64_t result = warp.slots[from % kWarp];
  warp_barrier();
  return result;
}

unsigned ballot(bool vote) {
  Warp& warp = warp_of(*current);
  warp.slots[lane()] = vote;
  warp_barrier();
  unsigned votes = 0;
  for (unsigned i = 0; i < kWarp; ++i) votes |= unsigned(warp.slots[i] != 0) << i;
  warp_barrier();
  return votes;
}

const std::uint64_t* gather(std::uint64_t bits) {
  Warp& warp = warp_of(*current);
  warp.slots[lane()] = bits;
  warp_barrier();
  return warp.slots;
}

// A copy may be done at once or only when it is waited for: one of the two shows a missing wait, the
// other that somebody still reads what it overwrites.

void start_copy(void* to, const void* from, std::size_t bytes, bool exists) {
  const Copy copy{to, exists ? from : nullptr, bytes};
  if (exists) note_access(from);
  if (chance().coin()) {
    current->copies.push_back(copy);
  } else {
    copy.perform();
  }
}

void finish_copies() {
  for (const Copy& copy : current->copies) copy.perform();
  current->copies.clear();
}

}  // namespace emulator

unsigned __ballot_sync(unsigned, int predicate) { return emulator::ballot(predicate != 0); }
