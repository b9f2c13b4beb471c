// Stands in for NCCL between processes of one machine, or threads of one process: the functions that tensor/cuda/nccl.cu
// calls. What is sent goes through a ring in shared memory for each pair of processes, and is copied while the streams of
// both move on. Faults for tests (KETTE_EMULATOR_FAULT): "lost", no message ever arrives; "remote", likewise, and NCCL says
// so; "absent", the processes never find each other.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cuda_runtime.h"

namespace {

constexpr std::size_t kRing = std::size_t{1} << 20;
enum Result { kSuccess, kSystemError = 2, kRemoteError = 6 };

/// Bytes on their way from one process to another, in their order. New memory is all zero, and so is a new ring.
struct Ring {
  std::atomic<std::uint64_t> written, read;
  std::byte bytes[kRing];

  /// Each as much as there is; how much that was.
  std::size_t put(const std::byte* from, std::size_t count) {
    const std::uint64_t at = written;
    count = std::min<std::size_t>({count, kRing - (at - read), kRing - at % kRing});
    std::memcpy(bytes + at % kRing, from, count);
    written = at + count;
    return count;
  }
  std::size_t take(std::byte* to, std::size_t count) {
    const std::uint64_t at = read;
    count = std::min<std::size_t>({count, written - at, kRing - at % kRing});
    std::memcpy(to, bytes + at % kRing, count);
    read = at + count;
    return count;
  }
};

/// What the processes share.
struct Segment {
  std::atomic<int> joined;
  Ring rings[1];  // from process to process, row by row
};

}  // namespace

struct NcclCommOfTheLibrary {
  std::shared_ptr<NcclCommOfTheLibrary> self;  // and what is queued keeps it, too
  int process, processes;
  Segment* segment = nullptr;
  std::size_t bytes = 0;
  std::atomic<bool> is_aborted = false;

  ~NcclCommOfTheLibrary() {
    if (segment != nullptr) munmap(segment, bytes);
  }
  Ring& ring(int from, int to) { return segment->rings[from * processes + to]; }
};

namespace {

/// A message: how long it is, then its bytes.
struct Transfer {
  Ring* ring;
  std::byte* memory;
  std::uint64_t bytes, announced;
  bool is_sent;
  std::size_t moved = 0;

  /// As far as it can. Whether it is done.
  bool move() {
    constexpr std::size_t kHead = sizeof announced;
    for (std::size_t before = ~std::size_t{0}; before != moved && moved < kHead + bytes;) {
      before = moved;
      const bool is_head = moved < kHead;
      std::byte* at =
          is_head ? reinterpret_cast<std::byte*>(&announced) + moved : memory + (moved - kHead);
      const std::size_t left = (is_head ? kHead : kHead + bytes) - moved;
      moved += is_sent ? ring->put(at, left) : ring->take(at, left);
      if (moved >= kHead && announced != bytes) {
        std::fprintf(stderr, "NCCL emulator: expected a message of %llu bytes, given %llu\n",
                     static_cast<unsigned long long>(bytes),
                     static_cast<unsigned long long>(announced));
        std::abort();
      }
    }
    return moved == kHead + bytes;
  }
};

/// What a thread has given since ncclGroupStart().
struct Group {
  std::vector<Transfer> transfers;
  std::shared_ptr<NcclCommOfTheLibrary> comm;
  cudaStream_t stream = nullptr;
};
thread_local Group group;

int add(const void* memory, std::size_t bytes, int from, int to, NcclCommOfTheLibrary* comm,
        cudaStream_t stream, bool is_sent) {
  group.comm = comm->self;
  group.stream = stream;
  auto* at = static_cast<std::byte*>(const_cast<void*>(memory));
  group.transfers.push_back({&comm->ring(from, to), at, bytes, is_sent ? bytes : 0, is_sent});
  return kSuccess;
}

}  // namespace

extern "C" {

int ncclGetVersion(int* version) { return *version = 20705, kSuccess; }

const char* ncclGetErrorString(int result) {
  return result == kRemoteError ? "remote process exited or there was a network error"
                                : "unhandled system error";
}

int ncclGetUniqueId(std::array<char, 128>* id) {
  static std::atomic<int> made = 0;
  const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
  std::snprintf(id->data(), id->size(), "/kette-nccl-%d-%d-%lld", getpid(), made++,
                static_cast<long long>(now));
  return kSuccess;
}

int ncclCommInitRank(NcclCommOfTheLibrary** made, int processes, std::array<char, 128> id,
                     int process) {
  const auto comm = std::make_shared<NcclCommOfTheLibrary>();
  comm->process = process;
  comm->processes = processes;
  comm->bytes = sizeof(Segment) + sizeof(Ring) * processes * processes;
  const int file = shm_open(id.data(), O_RDWR | O_CREAT, 0600);
  if (file < 0 || ftruncate(file, static_cast<off_t>(comm->bytes)) != 0) return kSystemError;
  void* memory = mmap(nullptr, comm->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (memory == MAP_FAILED) return kSystemError;
  comm->segment = static_cast<Segment*>(memory);
  ++comm->segment->joined;
  const auto wait_while = [](const auto& holds) {
    while (holds()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  };
  wait_while([&] { return comm->segment->joined < processes; });
  shm_unlink(id.data());
  wait_while([] { return emulator::is_planted("absent"); });
  comm->self = comm;
  *made = comm.get();
  return kSuccess;
}

int ncclCommDestroy(NcclCommOfTheLibrary* comm) {
  const auto last = std::move(comm->self);
  return kSuccess;
}
int ncclCommAbort(NcclCommOfTheLibrary* comm) {
  comm->is_aborted = true;
  return ncclCommDestroy(comm);
}
int ncclCommGetAsyncError(NcclCommOfTheLibrary*, int* result) {
  return *result = emulator::is_planted("remote") ? kRemoteError : kSuccess, kSuccess;
}

int ncclSend(const void* from, std::size_t count, int, int to, NcclCommOfTheLibrary* comm,
             cudaStream_t stream) {
  return add(from, count, comm->process, to, comm, stream, true);
}
int ncclRecv(void* to, std::size_t count, int, int from, NcclCommOfTheLibrary* comm,
             cudaStream_t stream) {
  return add(to, count, from, comm->process, comm, stream, false);
}

int ncclGroupStart() { return kSuccess; }
int ncclGroupEnd() {
  if (group.transfers.empty()) return kSuccess;
  const bool is_lost = emulator::is_planted("lost") || emulator::is_planted("remote");
  const cudaStream_t stream = group.stream;
  emulator::enqueue_messages(stream, [given = std::exchange(group, {}), is_lost]() mutable {
    if (given.comm->is_aborted) return true;
    if (is_lost) return false;
    std::set<std::pair<Ring*, bool>>
        busy;  // with a message that comes before the others of its pair
    std::erase_if(given.transfers, [&](Transfer& transfer) {
      const std::pair end(transfer.ring, transfer.is_sent);
      if (busy.contains(end) || !transfer.move()) busy.insert(end);
      return !busy.contains(end);
    });
    return given.transfers.empty();
  });
  return kSuccess;
}

}  // extern "C"
