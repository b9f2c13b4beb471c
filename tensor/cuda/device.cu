// The CUDA devices: their list, their memory, one stream each.
#include <atomic>
#include <memory>
#include <mutex>
#include <sstream>
#include <thread>

#include "tensor/cuda/recording.h"
#include "tensor/cuda/transfers.h"

namespace kette {
namespace cuda {

void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  fail("cuda: expected ", what, " to work, given \"", cudaGetErrorString(status), '"');
}

namespace {

constexpr std::size_t kSegment = std::size_t{1} << 26, kPinnedSegment = std::size_t{1} << 20;
constexpr std::size_t kPinnedAlignment = 64;

/// Compiled for the same architectures as all kernels.
__global__ void any_kernel() {}

/// All work is queued on one stream, so a reused block is written only after its earlier uses are
/// done: release() need not wait. A thread that records queues on another stream, which runs
/// nothing; what it recorded is then replayed on the first, in order with everything else.
class CudaBackend final : public Backend {
 public:
  explicit CudaBackend(int index) : index_((check(cudaSetDevice(index), "choosing it"), index)) {
    cudaFuncAttributes kernel;
    const cudaError_t found = cudaFuncGetAttributes(&kernel, any_kernel);
    if (found == cudaErrorNoKernelImageForDevice) fail_for_kernels();
    check(found, "asking how kernels were compiled");
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "a stream");
    check(cudaDeviceGetAttribute(&multiprocessors_, cudaDevAttrMultiProcessorCount, index),
          "asking for the multiprocessors");
    int driver = 0;
    check(cudaDriverGetVersion(&driver), "asking for the driver");
    starts_early_ = kernel.ptxVersion >= 90 && driver >= 12030;  // older ones cannot record them
    std::size_t free = 0;
    check(cudaMemGetInfo(&free, &capacity_), "asking for the memory");
  }

  /// Where this thread queues its work.
  cudaStream_t stream() const {
    make_current();
    return recorded() != nullptr ? capture_ : stream_;
  }
  int multiprocessors() const { return multiprocessors_; }
  bool starts_early() const { return starts_early_; }

  void* allocate(std::size_t bytes) override {
    make_current();
    CudaRecording* const recording = recorded();
    void* memory = recording != nullptr ? recording->allocate(bytes) : nullptr;
    if (memory != nullptr) return memory;
    memory = pool_.allocate(bytes);
    if (memory == nullptr && recording == nullptr) {  // a recording must not wait
      trim();                                         // free segments of other sizes
      memory = pool_.allocate(bytes);
    }
    if (memory == nullptr) fail_for_memory(bytes);
    if (recording != nullptr) recording->add(memory, bytes);
    return memory;
  }
  void release(void* memory, std::size_t) override {
    CudaRecording* const recording = recorded();
    if (recording != nullptr && recording->release(memory)) return;
    {
      const std::lock_guard lock(uploads_mutex_);
      if (uploads_.owns(memory)) {
        cudaSetDevice(index_);
        return uploads_.release(memory, stream_);
      }
    }
    pool_.release(memory);
  }
  /// A short copy, such as the ids of a batch, does not wait for queued work; only later work waits
  /// for it.
  void* upload(const void* from, std::size_t bytes) override {
    KETTE_CHECK(recorded() == nullptr,
                "recording: expected work without values of the host's, given ", bytes,
                " bytes of them");
    make_current();
    if (bytes == 0 || bytes > Uploads::kMostBytes) {
      void* memory = allocate(bytes);
      if (bytes > 0) copy_from_host(memory, from, bytes);
      return memory;
    }
    const std::lock_guard lock(uploads_mutex_);
    void* memory = uploads_.upload(from, bytes, stream_);
    if (memory == nullptr) {
      trim();  // tensors' memory is kept apart from that of uploads
      memory = uploads_.upload(from, bytes, stream_);
    }
    if (memory == nullptr) fail_for_memory(bytes);
    return memory;
  }
  void trim() override {
    synchronize();  // queued work may still use what was released
    pool_.trim();
  }

  void zero(void* memory, std::size_t bytes) override {
    check(cudaMemsetAsync(memory, 0, bytes, stream()), "clearing memory");
  }
  void copy_within(void* to, const void* from, std::size_t bytes) override {
    copy(to, from, bytes, cudaMemcpyDeviceToDevice);
  }
  void copy_to_host(void* to, const void* from, std::size_t bytes) override {
    copy(to, from, bytes, cudaMemcpyDeviceToHost);
    synchronize();
  }
  void copy_from_host(void* to, const void* from, std::size_t bytes) override {
    copy(to, from, bytes, cudaMemcpyHostToDevice);
    synchronize();
  }
  std::unique_ptr<HostCopy> start_copy_to_host(const void* from, std::size_t bytes) override {
    return std::make_unique<CudaCopy>(pinned_, from, bytes, stream());
  }
  void synchronize() override { check(cudaStreamSynchronize(stream()), "the work queued so far"); }
  void synchronize_device() override {
    KETTE_CHECK(recorded() == nullptr,
                "recording: expected work that waits for nothing, given a wait for the device");
    const std::lock_guard lock(recordings_mutex_);  // a stream that records cannot be waited for
    make_current();
    check(cudaDeviceSynchronize(), "the work queued so far");
  }
  std::unique_ptr<Recording> record(std::function<void()> work) override {
    KETTE_CHECK(recorded() == nullptr,
                "recording: expected work that records nothing itself, given a recording in one");
    const std::lock_guard lock(recordings_mutex_);
    make_current();
    if (capture_ == nullptr) {
      check(cudaStreamCreateWithFlags(&capture_, cudaStreamNonBlocking), "a stream");
    }
    auto recording = std::make_unique<CudaRecording>(pool_, capture_, stream_);
    recording->begin();
    recorded_ = recording.get();
    recorder_ = std::this_thread::get_id();
    try {
      work();
    } catch (...) {
      recorder_ = std::thread::id();
      recording->abandon();
      throw;
    }
    recorder_ = std::thread::id();
    recording->end();
    return recording;
  }

  MemoryStatistics memory() const override { return pool_.statistics(); }
  void watch_memory(MemoryObserver* observer) override { pool_.watch(observer); }
  std::size_t capacity() const override { return capacity_; }
  /// All of any batch that fits its memory: an element takes about 200 to 600 bytes.
  std::int64_t batch_elements() const override {
    constexpr std::int64_t kBytesEach = 1024;
    return static_cast<std::int64_t>(capacity_) / kBytesEach;
  }

 private:
  void make_current() const { check(cudaSetDevice(index_), "choosing the device"); }
  /// What this thread records now, or null.
  CudaRecording* recorded() const {
    return recorder_.load() == std::this_thread::get_id() ? recorded_ : nullptr;
  }
  void copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) const {
    check(cudaMemcpyAsync(to, from, bytes, kind, stream()), "copying");
  }
  [[noreturn]] void fail_for_kernels() const {
    cudaGetLastError();
    cudaDeviceProp properties;
    check(cudaGetDeviceProperties(&properties, index_), "asking for a device");
    fail("device: expected a GPU that this build has kernels for, given cuda:", index_, " (",
         properties.name, ", sm_", properties.major, properties.minor,
         "); build Kette with -DKETTE_CUDA_ARCHITECTURES=", properties.major, properties.minor);
  }
  [[noreturn]] void fail_for_memory(std::size_t bytes) const {
    std::size_t free = 0, total = 0;
    check(cudaMemGetInfo(&free, &total), "asking for the memory");
    const MemoryStatistics pool = pool_.statistics();
    fail("memory: expected room for ", memory_size(bytes), " more on cuda:", index_, ", given ",
         free >> 20, " of ", total >> 20, " MiB free (tensors hold ", pool.in_use_bytes >> 20,
         " MiB, ", pool.cached_bytes >> 20,
         " MiB are kept for reuse, the rest is other programs'); "
         "fewer tokens a batch, --precision bf16 or a smaller model need less");
  }

  int index_, multiprocessors_ = 0;
  bool starts_early_ = false;
  std::size_t capacity_ = 0;
  cudaStream_t stream_ = nullptr, capture_ = nullptr;  // the second is made by record()
  BlockPool pool_{kSegment, kAlignment, reserve, give_back};
  BlockPool pinned_{kPinnedSegment, kPinnedAlignment, reserve_pinned, give_back_pinned};
  std::mutex uploads_mutex_;
  Uploads uploads_;
  std::mutex recordings_mutex_;              // one at a time
  std::atomic<std::thread::id> recorder_{};  // the thread that records, or none
  CudaRecording* recorded_ = nullptr;        // read by that thread alone
};

CudaBackend& backend_of(int index) {
  // Never destroyed: tensors with static lifetime may outlive any order of destruction.
  constexpr int kMost = 64;
  static CudaBackend* backends[kMost] = {};
  static std::mutex mutex;
  KETTE_CHECK(index >= 0 && index < kMost, "device: expected cuda:0 to cuda:", kMost - 1,
              ", given cuda:", index);
  const std::lock_guard lock(mutex);
  CudaBackend*& known = backends[index];
  if (known == nullptr) known = new CudaBackend(index);
  return *known;
}

}  // namespace

cudaStream_t stream(CudaExec exec) { return backend_of(exec.device).stream(); }
int multiprocessors(CudaExec exec) { return backend_of(exec.device).multiprocessors(); }
bool starts_early(CudaExec exec) { return backend_of(exec.device).starts_early(); }

}  // namespace cuda

Backend& cuda_backend(int index) { return cuda::backend_of(index); }

std::vector<std::string> cuda_devices() {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) {
    cudaGetLastError();
    return {};
  }
  std::vector<std::string> devices;
  for (int index = 0; index < count; ++index) {
    cudaDeviceProp properties;
    cuda::check(cudaGetDeviceProperties(&properties, index), "asking for a device");
    std::ostringstream line;
    line << properties.name << ", sm_" << properties.major << properties.minor << ", "
         << properties.multiProcessorCount << " multiprocessors, "
         << (properties.totalGlobalMem >> 20) << " MiB";
    devices.push_back(line.str());
  }
  return devices;
}

std::string why_no_cuda() {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  cudaGetLastError();
  return status == cudaSuccess
             ? "there is no CUDA device"
             : std::string("no driver that works with it (") + cudaGetErrorString(status) + ")";
}

}  // namespace kette
