// NCCL for DeviceMessages. The library is opened if several processes compute on GPUs and is not
// needed for compiling: the functions used are declared here as in its guide ("NCCL API",
// docs.nvidia.com/deeplearning/nccl).
#include <dlfcn.h>

#include <cstdlib>
#include <string>

#include "tensor/cuda/transfers.h"
#include "tensor/device_messages.h"

struct NcclCommOfTheLibrary;

namespace kette {
namespace cuda {
namespace {

using Id = DeviceMessages::Id;
using NcclComm = NcclCommOfTheLibrary*;
constexpr int kNcclSuccess = 0, kNcclInProgress = 7, kNcclUint8 = 1;

/// Name, without the common prefix, and parameters.
#define KETTE_NCCL_FUNCTIONS(each)                                                                \
  each(GetVersion, int* version);                                                                 \
  each(GetUniqueId, Id* id);                                                                      \
  each(CommInitRank, NcclComm* made, int processes, Id id, int process);                          \
  each(CommDestroy, NcclComm comm);                                                               \
  each(CommAbort, NcclComm comm);                                                                 \
  each(CommGetAsyncError, NcclComm comm, int* result);                                            \
  each(Send, const void* from, std::size_t count, int type, int to, NcclComm comm, cudaStream_t); \
  each(Recv, void* to, std::size_t count, int type, int from, NcclComm comm, cudaStream_t);       \
  each(GroupStart);                                                                               \
  each(GroupEnd)

struct Nccl {
#define KETTE_MEMBER(name, ...) int (*name)(__VA_ARGS__) = nullptr
  KETTE_NCCL_FUNCTIONS(KETTE_MEMBER);
#undef KETTE_MEMBER
  const char* (*GetErrorString)(int result) = nullptr;
};

#ifdef KETTE_CUDA_EMULATOR
constexpr const char* kLibrary = "libkette-tensor.so";  // already loaded, with its own functions
#else
constexpr const char* kLibrary = "libnccl.so.2";
#endif

template <class Function>
void find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  KETTE_CHECK(function != nullptr, "NCCL: expected a library with ", name,
              ", given one that lacks it; install NCCL 2.7 or newer");
}

Nccl open_nccl() {
  const char* named = std::getenv("KETTE_NCCL");
  void* library = dlopen(named != nullptr ? named : kLibrary, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    fail("NCCL: expected ", named != nullptr ? named : kLibrary,
         " for several processes that compute on GPUs, given none (", dlerror(),
         "); install NVIDIA's package libnccl2, or the wheel nvidia-nccl-cu12 or -cu13 and let "
         "KETTE_NCCL name its nvidia/nccl/lib/libnccl.so.2");
  }
  Nccl functions;
#define KETTE_FIND(name, ...) find(library, "nccl" #name, functions.name)
  KETTE_NCCL_FUNCTIONS(KETTE_FIND);
#undef KETTE_FIND
  find(library, "ncclGetErrorString", functions.GetErrorString);
  return functions;
}

const Nccl& nccl() {
  static const Nccl functions = open_nccl();
  return functions;
}

void check_nccl(int result, const char* what) {
  if (result == kNcclSuccess || result == kNcclInProgress) return;
  fail("NCCL: expected ", what, " to work, given \"", nccl().GetErrorString(result),
       "\" (NCCL_DEBUG=WARN tells more)");
}

/// Messages use their own stream, beside that of the device's work.
class NcclMessages final : public DeviceMessages {
 public:
  NcclMessages(const Id& id, int device, int process, int processes) : exec_{device} {
    stream(exec_);  // makes it the current device, which NCCL uses
    check(cudaStreamCreateWithFlags(&queue_, cudaStreamNonBlocking), "a stream");
    check_nccl(nccl().CommInitRank(&comm_, processes, id, process), "joining the other processes");
  }
  ~NcclMessages() override {
    if (comm_ == nullptr) return;
    // CommDestroy waits for messages under way.
    on_their_way_ == 0 ? nccl().CommDestroy(comm_) : nccl().CommAbort(comm_);
  }
  NcclMessages(const NcclMessages&) = delete;
  NcclMessages& operator=(const NcclMessages&) = delete;

  std::unique_ptr<Group> start(std::span<const Message> sent,
                               std::span<const Message> received) override {
    auto group = std::make_unique<OnTheirWay>(*this);
    check_nccl(nccl().GroupStart(), "a group of messages");
    for (const auto& [process, memory, bytes] : sent) {
      check_nccl(nccl().Send(memory, bytes, kNcclUint8, process, comm_, queue_), "sending");
    }
    for (const auto& [process, memory, bytes] : received) {
      check_nccl(nccl().Recv(memory, bytes, kNcclUint8, process, comm_, queue_), "receiving");
    }
    check_nccl(nccl().GroupEnd(), "a group of messages");
    group->are_given();
    return group;
  }
  void abandon() override {
    if (comm_ != nullptr) nccl().CommAbort(comm_);
    comm_ = nullptr;
  }

 private:
  class OnTheirWay final : public Group {
   public:
    explicit OnTheirWay(NcclMessages& all) : all_(all) {
      before_.record(stream(all.exec_));
      before_.hold(all.queue_);
    }
    void are_given() {
      done_.record(all_.queue_);
      ++all_.on_their_way_;
    }
    bool is_ready() const override { return before_.is_past(); }
    bool arrived() override {
      if (has_arrived_) return true;
      const bool is_past = done_.is_past();
      int error = kNcclSuccess;
      check_nccl(nccl().CommGetAsyncError(all_.comm_, &error), "asking for errors");
      check_nccl(error, "messages between GPUs");
      if (!is_past) return false;
      --all_.on_their_way_;
      return has_arrived_ = true;
    }

   private:
    NcclMessages& all_;
    Event before_, done_;
    bool has_arrived_ = false;
  };

  CudaExec exec_;
  cudaStream_t queue_ = nullptr;
  NcclComm comm_ = nullptr;
  int on_their_way_ = 0;
};

}  // namespace
}  // namespace cuda

std::string DeviceMessages::library() {
  int version = 0;
  cuda::check_nccl(cuda::nccl().GetVersion(&version), "asking for its version");
  return "NCCL " + std::to_string(version / 10000) + '.' + std::to_string(version / 100 % 100) +
         '.' + std::to_string(version % 100);
}
DeviceMessages::Id DeviceMessages::make_id() {
  Id id{};
  cuda::check_nccl(cuda::nccl().GetUniqueId(&id), "a name for the group of processes");
  return id;
}
std::unique_ptr<DeviceMessages> DeviceMessages::join(const Id& id, int device, int process,
                                                     int processes) {
  return std::make_unique<cuda::NcclMessages>(id, device, process, processes);
}

}  // namespace kette
