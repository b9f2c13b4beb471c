// Streams, events and memory. Work on a stream is done in order and at the latest when the host
// waits for it. Whether it is done earlier is left to chance: from one wait to the next, a stream
// either keeps up with what is queued or lags behind until somebody asks. A pinned slot that is
// written again too early, a result that is read too early, and two streams that do not wait for one
// another then show. Messages that wait for another process hold up their stream alone.
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "chance.h"
#include "emulator.h"
#include "fibers.h"
#include "names.h"

namespace emulator {

/// What was queued on a stream while it was recorded.
struct Graph {
  std::vector<std::function<void()>> work;
};

struct Stream {
  Graph* recorded = nullptr;  // at this moment
  std::deque<Progress> work;
  bool has_messages = false;
  std::uint64_t queued = 0, done = 0;
  std::uint64_t known = 0;  // to be done, by the host
  bool lags = chance().coin();

  /// As far as it can. Whether that much is done.
  bool catch_up(std::uint64_t number) {
    while (done < number && work.front()()) {
      work.pop_front();
      ++done;
    }
    return done >= number;
  }
};

struct Event {
  Stream* stream = nullptr;
  std::uint64_t number = 0;
};

namespace {

std::recursive_mutex mutex;
std::vector<Stream*> streams;  // never destroyed, as the backends that own them
std::map<std::uintptr_t, std::size_t> device_memory, pinned_memory;
std::size_t most_device_memory = SIZE_MAX;
Counts counts;

std::size_t device_memory_in_use() {
  std::size_t sum = 0;
  for (const auto& block : device_memory) sum += block.second;
  return sum;
}

bool holds(const std::map<std::uintptr_t, std::size_t>& blocks, const void* at) {
  const auto address = reinterpret_cast<std::uintptr_t>(at);
  const auto after = blocks.upper_bound(address);
  if (after == blocks.begin()) return false;
  const auto& [start, bytes] = *std::prev(after);
  return address - start < bytes;
}

void forget_counts() {
  const std::lock_guard lock(mutex);
  catch_up();
  for (Stream* stream : streams) stream->known = stream->queued;
  counts = {};
}

/// The host waits until that much is done, while other threads may go on.
void host_wait(Stream& stream, std::uint64_t number) {
  if (number <= stream.known) return;
  ++counts.host_waits;
  while (!stream.catch_up(number)) {
    mutex.unlock();
    std::this_thread::yield();
    mutex.lock();
  }
  stream.known = number;
  stream.lags = chance().coin();
}

cudaError_t allocate(std::map<std::uintptr_t, std::size_t>& blocks, void** memory,
                     std::size_t bytes) {
  const std::lock_guard lock(mutex);
  if (bytes > cudaDeviceProp().totalGlobalMem) return cudaErrorMemoryAllocation;
  if (&blocks == &device_memory && device_memory_in_use() + bytes > most_device_memory) {
    return cudaErrorMemoryAllocation;
  }
  *memory = std::aligned_alloc(512, (bytes + 511) / 512 * 512);
  if (*memory == nullptr) return cudaErrorMemoryAllocation;
  blocks[reinterpret_cast<std::uintptr_t>(*memory)] = bytes;
  return cudaSuccess;
}

/// Waits for the whole device first.
cudaError_t release(std::map<std::uintptr_t, std::size_t>& blocks, void* memory) {
  const std::lock_guard lock(mutex);
  for (Stream* stream : streams) host_wait(*stream, stream->queued);
  blocks.erase(reinterpret_cast<std::uintptr_t>(memory));
  std::free(memory);
  return cudaSuccess;
}

class Controls final : public Emulator {
 public:
  Counts counted(const std::function<void()>& function) override {
    forget_counts();
    count_accesses(true);
    function();
    emulator::catch_up();
    count_accesses(false);
    return counts;
  }
  void set_seed(std::uint64_t seed) override {
    const std::lock_guard lock(mutex);
    emulator::catch_up();
    chance().set_seed(seed);
    for (Stream* stream : streams) stream->lags = chance().coin();
  }
  std::uint64_t seed() const override { return chance().seed(); }

  void run(unsigned threads, const std::function<void(unsigned)>& kernel) override {
    const std::lock_guard lock(mutex);
    emulator::run(1, threads, 0, [&] { kernel(threadIdx.x); });
  }
  void block_barrier() override { emulator::block_barrier(); }
  void start_copy(void* to, const void* from, std::size_t bytes, bool exists) override {
    emulator::start_copy(to, from, bytes, exists);
  }
  void finish_copies() override { emulator::finish_copies(); }
  void mma(float (&c)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
           std::uint32_t b1) override {
    emulator::mma(c, a, b0, b1);
  }
  void load_matrices(std::uint32_t (&words)[4], const std::uint16_t* row,
                     bool transposed) override {
    emulator::load_matrices(words, row, transposed);
  }

  void limit_memory(std::optional<std::size_t> more) override {
    const std::lock_guard lock(mutex);
    most_device_memory = more ? device_memory_in_use() + *more : SIZE_MAX;
  }
  void* allocate(std::size_t bytes, bool pinned) override {
    void* memory = nullptr;
    emulator::allocate(pinned ? pinned_memory : device_memory, &memory, bytes);
    return memory;
  }
  void release(void* memory, bool pinned) override {
    emulator::release(pinned ? pinned_memory : device_memory, memory);
  }
  void queue_copy(void* to, const void* from, std::size_t bytes, bool to_device) override {
    cudaMemcpyAsync(to, from, bytes, to_device ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost,
                    stream());
  }
  void synchronize() override { cudaStreamSynchronize(stream()); }

 private:
  static Stream* stream() {
    static Stream* const own = [] {
      Stream* made = nullptr;
      cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking);
      return made;
    }();
    return own;
  }
};

}  // namespace

Chance& chance() {
  static Chance one;
  return one;
}

bool is_device_memory(const void* at) { return holds(device_memory, at); }

void catch_up() {
  const std::lock_guard lock(mutex);
  for (Stream* stream : streams) stream->catch_up(stream->queued);
}

namespace {

void add(Stream& stream, Progress work) {
  stream.work.push_back(std::move(work));
  ++stream.queued;
  // What waits for nothing is as early, and the work it should wait for as late, as can be: no chance hides that fault.
  const bool lags = is_planted("unordered") ? !stream.has_messages : stream.lags;
  if (!lags) stream.catch_up(stream.queued);
}

}  // namespace

void enqueue(Stream* stream, std::function<void()> work) {
  const std::lock_guard lock(mutex);
  if (stream->recorded != nullptr) return stream->recorded->work.push_back(std::move(work));
  add(*stream, [work = std::move(work)] { return work(), true; });
}

void enqueue_messages(Stream* stream, Progress messages) {
  const std::lock_guard lock(mutex);
  stream->has_messages = true;
  add(*stream, std::move(messages));
}

bool is_planted(const char* fault) {
  const char* planted = std::getenv("KETTE_EMULATOR_FAULT");
  return planted != nullptr && std::string(planted) == fault;
}

void count_launch(const char* name) {
  const std::lock_guard lock(mutex);
  ++counts.launches;
  ++counts.kernels[name].launches;
}

void launch(Stream* stream, const void* function, dim3 blocks, dim3 threads,
            std::size_t shared_bytes, std::function<void()> kernel) {
  const std::lock_guard lock(mutex);
  const std::string& name = name_of(function);
  if (stream->recorded == nullptr) count_launch(name.c_str());
  enqueue(stream, [=, &name] {
    const std::uint64_t accesses = run(blocks, threads, shared_bytes, kernel);
    std::uint64_t& most = counts.kernels[name].serial_accesses;
    most = std::max(most, accesses);
  });
}

}  // namespace emulator

extern "C" emulator::Emulator* kette_cuda_emulator() {
  static emulator::Controls controls;
  return &controls;
}

using emulator::counts, emulator::mutex;

cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
  return emulator::allocate(emulator::device_memory, memory, bytes);
}
cudaError_t cudaFree(void* memory) { return emulator::release(emulator::device_memory, memory); }
cudaError_t cudaMallocHost(void** memory, std::size_t bytes) {
  return emulator::allocate(emulator::pinned_memory, memory, bytes);
}
cudaError_t cudaFreeHost(void* memory) {
  return emulator::release(emulator::pinned_memory, memory);
}

cudaError_t cudaMemsetAsync(void* memory, int value, std::size_t bytes, cudaStream_t stream) {
  emulator::enqueue(stream, [=] { std::memset(memory, value, bytes); });
  return cudaSuccess;
}

/// From memory that is not pinned the host's part is done on return: what goes to the device is set
/// aside, what comes from it has been waited for.
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  std::unique_lock lock(mutex);
  if (kind == cudaMemcpyHostToDevice) {
    ++counts.copies_to_device;
    counts.bytes_to_device += bytes;
    if (!emulator::holds(emulator::pinned_memory, from)) {
      const auto* start = static_cast<const char*>(from);
      const std::string aside(start, start + bytes);
      emulator::enqueue(stream, [=] { std::memcpy(to, aside.data(), aside.size()); });
      return cudaSuccess;
    }
  }
  const auto *first = static_cast<const char*>(from), *second = static_cast<char*>(to);
  if (first < second + bytes && second < first + bytes) return cudaErrorInvalidValue;  // undefined
  emulator::enqueue(stream, [=] { std::memcpy(to, from, bytes); });
  if (kind == cudaMemcpyDeviceToHost) {
    ++counts.copies_to_host;
    counts.bytes_to_host += bytes;
    const bool is_pinned = emulator::holds(emulator::pinned_memory, to);
    lock.unlock();
    if (!is_pinned) return cudaStreamSynchronize(stream);
  }
  return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  const std::lock_guard lock(mutex);
  emulator::streams.push_back(*stream = new emulator::Stream);
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  const std::lock_guard lock(mutex);
  if (stream->recorded != nullptr) return cudaErrorStreamCaptureUnsupported;
  emulator::host_wait(*stream, stream->queued);
  return cudaSuccess;
}
cudaError_t cudaDeviceSynchronize() {
  const std::lock_guard lock(mutex);
  for (const emulator::Stream* stream : emulator::streams) {
    if (stream->recorded != nullptr) return cudaErrorStreamCaptureUnsupported;
  }
  for (emulator::Stream* stream : emulator::streams) emulator::host_wait(*stream, stream->queued);
  return cudaSuccess;
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  if (event->stream == nullptr) return cudaSuccess;
  const std::lock_guard lock(mutex);
  if (stream->recorded != nullptr) return cudaErrorStreamCaptureUnsupported;
  if (stream->has_messages && emulator::is_planted("unordered")) return cudaSuccess;
  emulator::add(*stream, [awaited = *event] { return awaited.stream->catch_up(awaited.number); });
  return cudaSuccess;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
  const std::lock_guard lock(mutex);
  if (stream->recorded != nullptr) return cudaErrorStreamCaptureUnsupported;
  return stream->recorded = new emulator::Graph, cudaSuccess;
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  const std::lock_guard lock(mutex);
  *graph = std::exchange(stream->recorded, nullptr);
  return *graph != nullptr ? cudaSuccess : cudaErrorInvalidValue;
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* made, cudaGraph_t graph, unsigned long long) {
  const std::lock_guard lock(mutex);
  ++counts.recordings;
  return *made = new emulator::Graph(*graph), cudaSuccess;
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t stream) {
  const std::lock_guard lock(mutex);
  ++counts.launches;
  ++counts.graphs;
  for (const std::function<void()>& work : graph->work) emulator::enqueue(stream, work);
  return cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) { return delete graph, cudaSuccess; }
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graph) { return delete graph, cudaSuccess; }

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  return *event = new emulator::Event, cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) { return delete event, cudaSuccess; }
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  const std::lock_guard lock(mutex);
  if (stream->recorded != nullptr) return cudaErrorStreamCaptureUnsupported;
  return *event = {stream, stream->queued}, cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  const std::lock_guard lock(mutex);
  if (event->stream) emulator::host_wait(*event->stream, event->number);
  return cudaSuccess;
}
/// The host then knows, too. Messages move on while it asks again and again, or nobody would move them.
cudaError_t cudaEventQuery(cudaEvent_t event) {
  const std::lock_guard lock(mutex);
  if (event->stream == nullptr || event->number <= event->stream->known) return cudaSuccess;
  emulator::Stream& stream = *event->stream;
  if (stream.has_messages && emulator::chance().below(4) == 0) stream.catch_up(event->number);
  if (stream.done < event->number) return cudaErrorNotReady;
  stream.known = event->number;
  return cudaSuccess;
}
